import { type ProjectionState } from './projections.dto.js';
import { type Pool } from 'pg';
import { projections } from '../../../projections/index.js';
import { type EventStore } from '../../platform/event-sourcing/event-store.js';
import { MAX_COUNTED_LAG } from '../../platform/projecting/checkpoints.js';
import { type ReadModelState, readModelStates } from '../../platform/projecting/rebuilding/shadow.js';

const NAMES = projections.map(({ name }) => name);

interface Stores {
  readonly pool: Pool;
  readonly eventStore: Pick<EventStore, 'countAfter'>;
}

/** Returns the state of every read model: its position, lag and status, and on request its number of rows. */
export async function projectionStates(
  { pool, eventStore }: Stores,
  { countRows = false }: { readonly countRows?: boolean } = {},
): Promise<readonly ProjectionState[]> {
  const found = await checkpoints(pool);
  const lags = new Map<string | null, number>();
  for (const { position } of found)
    if (!lags.has(position))
      lags.set(position, await eventStore.countAfter(position === null ? undefined : BigInt(position), MAX_COUNTED_LAG));
  return await Promise.all(
    found.map(async ({ projection: name, version, position, fault, rebuilding }): Promise<ProjectionState> => {
      const status = rebuilding ? 'rebuilding' : fault === null ? 'live' : 'faulted';
      const error = fault === null ? null : withAdvice(name, fault);
      const state = { name, version, position, lag: lags.get(position) ?? 0, status, error } as const;
      return countRows ? { ...state, rows: await rowsOf(pool, name) } : state;
    }),
  );
}

async function checkpoints(pool: Pool): Promise<readonly ReadModelState[]> {
  const rows = await readModelStates(pool, NAMES);
  const order = (row: ReadModelState): number => NAMES.indexOf(row.projection);
  return rows.toSorted((one, other) => order(one) - order(other));
}

/** Returns null if the table does not exist, for example after a restore and before the first start. */
async function rowsOf(pool: Pool, name: string): Promise<number | null> {
  const found = await pool.query<{ there: boolean }>('select to_regclass($1) is not null as there', [`read.${name}`]);
  if (found.rows[0]?.there !== true) return null;
  const { rows } = await pool.query<{ rows: string }>(`select count(*) as rows from read.${name}`);
  return Number(rows[0]?.rows ?? 0);
}

function withAdvice(name: string, fault: string): string {
  return `${fault}. The projection is stopped at this event, and the others continue. Start a version of the service that can apply the event, then run: rupa projections retry ${name} (or: rupa projections rebuild ${name}, if earlier rows are wrong, too).`;
}
