import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { POOL } from '../../platform/injection-tokens.js';
import { assertEndpointOwned } from './owned-endpoint.js';
import { type Deliveries, type Delivery } from './webhook-responses.dto.js';
import { WebhookRejection } from './domain/rejections.js';

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
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async execute({ partnerId, endpointId, limit, cursor }: GetDeliveries): Promise<Deliveries> {
    await assertEndpointOwned(this.pool, partnerId, endpointId);
    const { rows } = await this.pool.query<Delivery>(
      `select ${DELIVERY_COLUMNS} from ops.webhook_delivery
       where endpoint_id = $1 and ($2::bigint is null or delivery_id < $2) order by delivery_id desc limit $3`,
      [endpointId, cursor === undefined ? null : deliveryIdOf(cursor), limit + 1],
    );
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return { deliveries: shown, next_cursor: rows.length > limit && last ? cursorOf(last.id) : null };
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

function cursorOf(deliveryId: number): string {
  return Buffer.from(`d${deliveryId}`).toString('base64url');
}

function deliveryIdOf(cursor: string): number {
  const [, id] = /^d(\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString('utf8')) ?? [];
  if (id === undefined) throw new ValidationFailed({ cursor: ['The cursor field must be the next_cursor of an earlier response.'] });
  return Number(id);
}
