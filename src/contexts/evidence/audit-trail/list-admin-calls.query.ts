import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { adminCallProjection } from '../../../../projections/admin-call/admin-call.projection.js';
import { type AdminCallFilter, newestCalls } from '../../../../projections/admin-call/admin-call.reader.js';
import { Cursors, endOfDay, startOfDay } from '../../../http/validating/paging.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { LogIndex } from '../tree/log-index.js';
import { type AuditTrail } from './audit-trail.dto.js';

/**
 * Lists administrators' calls, newest first.
 * @throws ValidationFailed if the cursor is malformed; ReadModelBehind, because a trail with gaps misleads
 */
export class ListAdminCalls extends Query<AuditTrail> {
  constructor(
    readonly filter: AdminCallFilter,
    readonly limit: number,
    readonly cursor?: string,
  ) {
    super();
  }
}

const CURSORS = new Cursors('admin-calls', 'position');

@QueryHandler(ListAdminCalls)
export class ListAdminCallsHandler implements IQueryHandler<ListAdminCalls> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
    private readonly logIndex: LogIndex,
  ) {}

  async execute({ filter, limit, cursor }: ListAdminCalls): Promise<AuditTrail> {
    const [before] = CURSORS.position(cursor) ?? [];
    await this.readModels.waitForLog([adminCallProjection]);
    const window = { from: startOfDay(filter.from), to: endOfDay(filter.to) };
    const { calls, computedUpTo } = await newestCalls(this.pool, { ...filter, ...window }, before, limit + 1);
    const { items, next_cursor } = CURSORS.page(calls, limit, ({ position }) => [position]);
    const as_of_index = await this.logIndex.at(this.pool, computedUpTo);
    return { entries: items.map(({ position: _, ...entry }) => entry), next_cursor, as_of_index };
  }
}
