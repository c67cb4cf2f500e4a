import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { projections } from '../../../projections/index.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { POOL } from '../../platform/injection-tokens.js';
import { LAG_COUNTED, type ProjectionState } from './projections.dto.js';

/** Every read model: where it is, and how it fares. */
export class GetProjections extends Query<readonly ProjectionState[]> {
  constructor(readonly options: { readonly countRows?: boolean } = {}) {
    super();
  }
}

interface Found {
  readonly projection: string;
  readonly version: number;
  readonly position: string | null;
  readonly fault: string | null;
  readonly rebuilding: boolean;
}

@QueryHandler(GetProjections)
export class GetProjectionsHandler implements IQueryHandler<GetProjections> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly eventStore: EventStore,
  ) {}

  async execute({ options }: GetProjections): Promise<readonly ProjectionState[]> {
    const found = await this.checkpoints();
    const lags = new Map<string | null, number>();
    for (const { position } of found)
      if (!lags.has(position))
        lags.set(position, await this.eventStore.countAfter(position === null ? undefined : BigInt(position), LAG_COUNTED));
    const states = found.map(({ projection: name, version, position, fault, rebuilding }): ProjectionState => {
      const status = rebuilding ? 'rebuilding' : fault === null ? 'live' : 'faulted';
      return { name, version, position, lag: lags.get(position) ?? 0, status, error: fault === null ? null : advised(name, fault) };
    });
    if (!options.countRows) return states;
    return await Promise.all(
      states.map(async ({ name, version, position, lag, status, error }) => ({
        name,
        version,
        position,
        lag,
        status,
        error,
        rows: await this.rows(name),
      })),
    );
  }

  /** A rebuild whose schema nobody holds is what a killed one left. */
  private async checkpoints(): Promise<readonly Found[]> {
    const { rows } = await this.pool.query<Found>(
      `select c.projection, c.version, c.position, c.fault, exists (
         select from ops.rebuild r join pg_locks l on l.locktype = 'advisory' and l.granted and ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended(r.schema, 0)
         where r.projection = c.projection and r.purpose = 'rebuild'
       ) as rebuilding
       from ops.checkpoint c where c.projection = any($1)`,
      [projections.map(({ name }) => name)],
    );
    const order = projections.map(({ name }) => name);
    return rows.toSorted((one, other) => order.indexOf(one.projection) - order.indexOf(other.projection));
  }

  private async rows(name: string): Promise<number> {
    const { rows } = await this.pool.query<{ rows: string }>(`select count(*) as rows from read.${name}`);
    return Number(rows[0]?.rows ?? 0);
  }
}

function advised(name: string, fault: string): string {
  return `${fault}. It stands still there, and the rest go on. Start a version of the service whose functions take this event, then run: rupa projections retry ${name} (or rebuild ${name}, where rows before it are wrong, too).`;
}
