import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { Cursors } from '../../../http/validating/paging.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { EndpointFinder } from '../endpoints/endpoint-finder.js';
import { type Deliveries, type Delivery } from '../endpoints/webhook-responses.dto.js';
import { WebhookRejection } from '../domain/webhook.js';

const CURSORS = new Cursors('deliveries', 'integer');

export const DELIVERY_COLUMNS = `delivery_id as id, event_id, type as event, status, attempt, response_status, duration_ms, error, attempted_at, next_attempt_at`;

/**
 * Lists an endpoint's deliveries, newest first.
 * @throws Rejection `webhook_unknown`
 * @throws ValidationFailed if the cursor is malformed
 */
export class GetDeliveries extends Query<Deliveries> {
  constructor(
    readonly partnerId: string,
    readonly endpointId: number,
    readonly limit: number,
    readonly cursor?: string,
  ) {
    super();
  }
}

@QueryHandler(GetDeliveries)
export class GetDeliveriesHandler implements IQueryHandler<GetDeliveries> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly endpoints: EndpointFinder,
  ) {}

  async execute({ partnerId, endpointId, limit, cursor }: GetDeliveries): Promise<Deliveries> {
    await this.endpoints.find(endpointId, partnerId);
    const [before] = CURSORS.position(cursor) ?? [];
    // Only one index has this order. PostgreSQL might look for the deliveries of an endpoint among the newest ones of all.
    const { rows } = await this.pool.query<Delivery>(
      `select ${DELIVERY_COLUMNS} from ops.webhook_delivery
       where (endpoint_id, delivery_id) < ($1::bigint, $2::bigint) and endpoint_id >= $1 order by endpoint_id desc, delivery_id desc limit $3`,
      [endpointId, before ?? Number.MAX_SAFE_INTEGER, limit + 1],
    );
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ id }) => [id]);
    return { deliveries: items, next_cursor };
  }
}

/** @throws Rejection `delivery_unknown` */
export async function readDelivery(pool: Pool, endpointId: number, deliveryId: number): Promise<Delivery> {
  const { rows } = await pool.query<Delivery>(
    `select ${DELIVERY_COLUMNS} from ops.webhook_delivery where endpoint_id = $1 and delivery_id = $2`,
    [endpointId, deliveryId],
  );
  const [delivery] = rows;
  if (!delivery) throw new WebhookRejection('delivery_unknown');
  return delivery;
}
