import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { projections } from '../../../projections/index.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { POOL } from '../../platform/injection-tokens.js';
import { MAX_COUNTED_LAG, type ProjectionState } from './projections.dto.js';

/** Returns the state of every read model: its position, lag and status. */
export class GetProjections extends Query<readonly ProjectionState[]> {
  constructor(readonly options: { readonly countRows?: boolean } = {}) {
    super();
  }
}

interface CheckpointRow {
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
        lags.set(position, await this.eventStore.countAfter(position === null ? undefined : BigInt(position), MAX_COUNTED_LAG));
    const states = found.map(({ projection: name, version, position, fault, rebuilding }): ProjectionState => {
      const status = rebuilding ? 'rebuilding' : fault === null ? 'live' : 'faulted';
      return { name, version, position, lag: lags.get(position) ?? 0, status, error: fault === null ? null : withAdvice(name, fault) };
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

  /** A rebuild counts as running while a process holds the advisory lock of its schema. A killed rebuild leaves a row without a lock. */
  private async checkpoints(): Promise<readonly CheckpointRow[]> {
    const { rows } = await this.pool.query<CheckpointRow>(
      `select c.projection, c.version, c.position, c.fault, exists (
         select from ops.rebuild r join pg_locks l on l.locktype = 'advisory' and l.granted and ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended(r.schema, 0)
           and l.database = (select oid from pg_database where datname = current_database())
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

function withAdvice(name: string, fault: string): string {
  return `${fault}. The projection is stopped at this event, and the others continue. Start a version of the service that can apply the event, then run: rupa projections retry ${name} (or: rupa projections rebuild ${name}, if earlier rows are wrong, too).`;
}
