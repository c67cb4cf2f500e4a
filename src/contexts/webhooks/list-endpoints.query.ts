import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { Cursors } from '../../http/paging.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { type WatchedEndpoint, type WatchedEndpoints } from './endpoint-health.dto.js';

const CURSORS = new Cursors('webhook-endpoints', 'integer');

export interface EndpointFilter {
  readonly partnerId?: string | undefined;
  readonly endpointId?: number | undefined;
  /** True: only endpoints whose attempts fail, or that were disabled for that; false: only the others. */
  readonly failing?: boolean | undefined;
}

/** `forget` of a disabled endpoint's health leaves the reason of the disabling, which says the same. */
const ENDPOINTS = `select e.endpoint_id as id, e.partner_id, e.url, e.name, e.events as subscribed_events, e.status, e.disabled_reason,
    e.registered_at as created_at, h.failing_since,
    (select count(*) from ops.webhook_delivery w where w.endpoint_id = e.endpoint_id and w.next_attempt_at is not null) as pending,
    (select count(*) from ops.webhook_delivery w where w.endpoint_id = e.endpoint_id and w.status = 'exhausted') as exhausted
  from read.webhook_endpoint e left join ops.webhook_health h on h.endpoint_id = e.endpoint_id
  where e.status <> 'deleted' and ($1::text is null or e.partner_id = $1) and ($2::bigint is null or e.endpoint_id = $2)
    and ($3::boolean is null or (h.failing_since is not null or coalesce(e.disabled_reason, '') in ('failing', 'gone')) = $3)
    and ($4::bigint is null or e.endpoint_id < $4)
  order by e.endpoint_id desc limit $5`;

/**
 * Lists the webhook endpoints of a partner or of all, the one registered last first, with the state of their deliveries.
 * @throws ValidationFailed if the cursor is malformed
 */
export class ListEndpoints extends Query<WatchedEndpoints> {
  constructor(
    readonly filter: EndpointFilter,
    readonly limit: number,
    readonly cursor?: string,
  ) {
    super();
  }
}

@QueryHandler(ListEndpoints)
export class ListEndpointsHandler implements IQueryHandler<ListEndpoints> {
  constructor(@Inject(FREE_CALLS_POOL) private readonly pool: Pool) {}

  async execute({ filter: { partnerId, endpointId, failing }, limit, cursor }: ListEndpoints): Promise<WatchedEndpoints> {
    const [before] = CURSORS.position(cursor) ?? [];
    const { rows } = await this.pool.query<WatchedEndpoint>(ENDPOINTS, [
      partnerId ?? null,
      endpointId ?? null,
      failing ?? null,
      before ?? null,
      limit + 1,
    ]);
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ id }) => [id]);
    return { endpoints: items, next_cursor };
  }
}
