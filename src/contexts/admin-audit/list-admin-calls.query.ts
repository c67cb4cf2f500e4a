import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { Cursors } from '../../http/paging.js';
import { endOfDay, startOfDay } from '../../http/time-window.js';
import { StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { POOL } from '../../platform/injection-tokens.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { type AuditTrail, type AuditTrailEntry } from './audit-trail.dto.js';

export interface AdminCallFilter {
  readonly actor?: string;
  readonly action?: string;
  /** ISO 8601; a date begins at its beginning, and ends at its end (UTC). Both are inclusive. */
  readonly from?: string;
  readonly to?: string;
}

/**
 * Lists administrators' calls, newest first.
 * @throws ValidationFailed if the cursor is malformed; StoreUnavailable if the read models are behind, because a trail with gaps misleads
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

const CATCH_UP_TIMEOUT_MS = 10_000;
const CURSORS = new Cursors('admin-calls', 'position');

const CALLS = `select position, entry_id, at, actor, role, fingerprint, action, target, status, request_id, address, reason from read.admin_call
  where ($1::numeric is null or position < $1)
    and ($2::text is null or $2 in (actor, role, fingerprint, nullif(split_part(actor, ':', 2), '')))
    and ($3::text is null or $3 in (action, split_part(action, ' ', 1), substr(action, strpos(action, ' ') + 1)))
    and ($4::timestamptz is null or at >= $4) and ($5::timestamptz is null or at <= $5)
  order by position desc limit $6`;

@QueryHandler(ListAdminCalls)
export class ListAdminCallsHandler implements IQueryHandler<ListAdminCalls> {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ filter: { actor, action, from, to }, limit, cursor }: ListAdminCalls): Promise<AuditTrail> {
    const [before] = CURSORS.position(cursor) ?? [];
    if (!(await this.readModels.waitForAll(CATCH_UP_TIMEOUT_MS))) throw new StoreUnavailable('The audit trail is behind the event log.');
    const { rows } = await this.pool.query<AuditTrailEntry & { readonly position: string }>(CALLS, [
      before,
      actor,
      action,
      startOfDay(from),
      endOfDay(to),
      limit + 1,
    ]);
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ position }) => [position]);
    return { entries: items.map(({ position: _, ...entry }) => entry), next_cursor };
  }
}
