import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type ClientBase } from 'pg';
import { inTransaction } from '../database/pool.js';
import { columnsOf } from '../database/schema.js';
import { readCheckpoints } from './checkpoints.js';
import { positionOf } from './positions.js';
import { type Projection } from './projection.js';
import { Shadow, type ShadowParts } from './shadow.js';

export interface Difference {
  /** The row's primary key, as JSON. */
  readonly key: string;
  readonly kind: 'missing' | 'unexpected' | 'different';
  /** Columns that differ. */
  readonly columns: readonly string[];
}

export interface Verified {
  readonly projection: string;
  readonly rows: number;
  readonly differing: number;
  /** The first ones. */
  readonly differences: readonly Difference[];
  /** Over all rows as they are in the live table. */
  readonly digest: string;
}

const DIFFERENCES_SHOWN = 20;
const PAGE = 2_000;

const CATCH_UP_TIMEOUT_MS = 60_000;
const POLL_MS = 50;

/** Builds the read models beside and compares them with the live ones, row by row, at one moment of the log. Nobody waits. */
export async function verify(parts: ShadowParts, projections: readonly Projection[], liveSchema: string): Promise<Verified[]> {
  const shadow = await Shadow.create(parts, projections, 'verify');
  try {
    await shadow.replay((await parts.eventStore.headPosition()) ?? -1n);
    await liveReaches(parts, projections, shadow.position);
    return await inTransaction(parts.pool, async (live) => {
      // One snapshot: rows and checkpoints are of the same moment, however long the comparison takes.
      await live.query('set transaction isolation level repeatable read read only');
      const known = await readCheckpoints(live);
      const positions = new Set(projections.map(({ name }) => known.get(name)?.position ?? '-1'));
      if (positions.size > 1) throw new Error('The live read models are at different events: one of them is catching up. Run it again.');
      for (const position of positions) await shadow.replay(BigInt(position));
      await shadow.flush();
      const [faulted] = shadow.faults;
      if (faulted) throw new Error(`${faulted[0]} cannot be built: ${faulted[1].reason}`);
      return await inTransaction(parts.pool, async (beside) => {
        const verified: Verified[] = [];
        for (const projection of projections)
          verified.push(await compare(projection, { client: live, schema: liveSchema }, { client: beside, schema: shadow.schema }));
        return verified;
      });
    });
  } finally {
    await shadow.drop();
  }
}

/** @throws Error where one of them is faulted, or stands still. */
async function liveReaches({ pool }: ShadowParts, projections: readonly Projection[], position: bigint): Promise<void> {
  const deadline = Date.now() + CATCH_UP_TIMEOUT_MS;
  for (;;) {
    const known = await readCheckpoints(pool);
    const faulted = projections.find(({ name }) => known.get(name)?.fault != null);
    if (faulted) throw new Error(`${faulted.name} is faulted; see rupa projections status. Rebuild it first.`);
    if (projections.every(({ name }) => positionOf(known.get(name)) >= position)) return;
    if (Date.now() > deadline) throw new Error('The live read models do not catch up with the log: does a projector run?');
    await delay(POLL_MS);
  }
}

interface Side {
  readonly client: ClientBase;
  readonly schema: string;
}

interface Line {
  readonly key: string;
  readonly row: string;
}

async function compare(projection: Projection, live: Side, shadow: Side): Promise<Verified> {
  const differences: Difference[] = [];
  const digest = createHash('sha256');
  let rows = 0;
  let differing = 0;
  const note = (difference: Difference): void => {
    differing += 1;
    if (differences.length < DIFFERENCES_SHOWN) differences.push(difference);
  };
  const [there, wanted] = [lines(projection, live), lines(projection, shadow)];
  let [one, other] = [await next(there), await next(wanted)];
  while (one || other) {
    const order = compareKeys(one, other);
    if (one && order <= 0) {
      rows += 1;
      digest.update(one.row);
    }
    if (one && order < 0) note({ key: one.key, kind: 'unexpected', columns: [] });
    else if (other && order > 0) note({ key: other.key, kind: 'missing', columns: [] });
    else if (one && other && one.row !== other.row)
      note({ key: one.key, kind: 'different', columns: differingColumns(one.row, other.row) });
    if (order <= 0) one = await next(there);
    if (order >= 0) other = await next(wanted);
  }
  return { projection: projection.name, rows, differing, differences, digest: digest.digest('hex') };
}

/** By bytes, as PostgreSQL's collation "C" has them. */
function compareKeys(one: Line | undefined, other: Line | undefined): number {
  if (!one) return 1;
  return other ? Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)) : -1;
}

async function next(rows: AsyncGenerator<Line>): Promise<Line | undefined> {
  const result = await rows.next();
  return result.done ? undefined : result.value;
}

/** All rows in the order of their keys' text; memory holds a page. */
async function* lines(projection: Projection, { client, schema }: Side): AsyncGenerator<Line> {
  const columns = columnsOf(projection.table);
  const key = `json_build_array(${columns
    .filter(({ primary }) => primary)
    .map(({ name }) => `t.${name}`)
    .join(', ')})::text`;
  const row = `json_build_object(${columns.map(({ name }) => `'${name}', t.${name}`).join(', ')})::text`;
  await client.query(
    `declare rows no scroll cursor for select ${key} as key, ${row} as row from ${schema}.${projection.name} t order by (${key}) collate "C"`,
  );
  for (;;) {
    const { rows } = await client.query<Line>(`fetch ${PAGE} from rows`);
    yield* rows;
    if (rows.length < PAGE) break;
  }
  await client.query('close rows');
}

function differingColumns(one: string, other: string): string[] {
  const [left, right] = [JSON.parse(one) as Record<string, unknown>, JSON.parse(other) as Record<string, unknown>];
  return Object.keys(left).filter((column) => JSON.stringify(left[column]) !== JSON.stringify(right[column]));
}
