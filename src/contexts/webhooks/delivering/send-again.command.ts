import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { Clock } from '../../../kernel/clock.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { DELIVERIES_CHANNEL } from '../notifying/notification-writer.js';
import { insertDeliveries } from '../notifying/signed-rows.js';
import { TEST_TYPE } from '../domain/notification-types.js';
import { deliveryOf, readDelivery } from './get-deliveries.query.js';
import { EndpointFinder } from '../endpoints/endpoint-finder.js';
import { type Delivery } from '../endpoints/webhook-responses.dto.js';
import { WebhookRejection } from '../domain/webhook.js';

/**
 * Queues a signed `webhook.test`, which is attempted once.
 * @throws Rejection `webhook_unknown` or `webhook_disabled`; RowForged
 */
export class SendTest extends Command<Delivery> {
  constructor(
    readonly partnerId: string,
    readonly endpointId: number,
  ) {
    super();
  }
}

/**
 * Queues a delivery again, starting with its first attempt, regardless of its status.
 * @throws Rejection `webhook_unknown`, `webhook_disabled` or `delivery_unknown`; RowForged
 */
export class ResendDelivery extends Command<Delivery> {
  constructor(
    readonly partnerId: string,
    readonly endpointId: number,
    readonly deliveryId: number,
  ) {
    super();
  }
}

@CommandHandler(SendTest)
export class SendTestHandler implements ICommandHandler<SendTest> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly endpoints: EndpointFinder,
    private readonly clock: Clock,
    private readonly macs: RowMacs,
  ) {}

  async execute({ partnerId, endpointId }: SendTest): Promise<Delivery> {
    await this.endpoints.findEnabled(endpointId, partnerId);
    const test = { event_id: randomUUID(), endpoint_id: endpointId, partner_id: partnerId, type: TEST_TYPE, recorded_at: this.clock.iso() };
    const none = { rupa_id: null, event: null, contribution_id: null, occurred_at: null, sequence: null, data: null };
    const [deliveryId = 0] = await insertDeliveries(this.pool, this.macs, [{ ...test, ...none }]);
    await wakeSenders(this.pool);
    return deliveryOf(await readDelivery(this.pool, this.macs, endpointId, deliveryId));
  }
}

@CommandHandler(ResendDelivery)
export class ResendDeliveryHandler implements ICommandHandler<ResendDelivery> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly endpoints: EndpointFinder,
    private readonly macs: RowMacs,
  ) {}

  async execute({ partnerId, endpointId, deliveryId }: ResendDelivery): Promise<Delivery> {
    await this.endpoints.findEnabled(endpointId, partnerId);
    await readDelivery(this.pool, this.macs, endpointId, deliveryId);
    const { rowCount } = await this.pool.query(
      `update ops.webhook_delivery set status = 'pending', attempt = 0, next_attempt_at = now(), holder = null, leased_until = null, error = null, recovering = false
       where endpoint_id = $1 and delivery_id = $2`,
      [endpointId, deliveryId],
    );
    if (rowCount === 0) throw new WebhookRejection('delivery_unknown');
    await wakeSenders(this.pool);
    return deliveryOf(await readDelivery(this.pool, this.macs, endpointId, deliveryId));
  }
}

async function wakeSenders(pool: Pool): Promise<void> {
  await pool.query('select pg_notify($1, $2)', [DELIVERIES_CHANNEL, '']);
}
