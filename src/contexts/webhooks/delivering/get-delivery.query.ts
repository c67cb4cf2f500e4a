import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { notificationBody } from '../domain/notification.js';
import { WebhookRejection } from '../domain/webhook.js';
import { EndpointFinder } from '../endpoints/endpoint-finder.js';
import { type Delivery, type DeliveryWithBody } from '../endpoints/webhook-responses.dto.js';
import { type NOTIFICATION_COLUMNS, notificationColumns } from '../notifying/notification-columns.js';
import { ERASED_TYPE } from '../domain/notification-types.js';
import { type DeliveryRow } from './delivery-rows.js';
import { disclosureOf } from './disclosure.js';
import { readDelivery } from './get-deliveries.query.js';

/** The notification of a delivery, without the mode of its recipient, and how the endpoint responded to it. */
type DeliveredNotification = Pick<DeliveryRow, (typeof NOTIFICATION_COLUMNS)[number] | 'response_status'>;

const NOTIFICATION = `select ${notificationColumns('w')}, w.response_status from ops.webhook_delivery w
  where w.endpoint_id = $1 and w.delivery_id = $2`;

/**
 * Returns a delivery with the text that was or will be sent.
 * @throws Rejection `webhook_unknown` or `delivery_unknown`; RowForged
 */
export class GetDelivery extends Query<DeliveryWithBody> {
  constructor(
    readonly partnerId: string,
    readonly endpointId: number,
    readonly deliveryId: number,
  ) {
    super();
  }
}

@QueryHandler(GetDelivery)
export class GetDeliveryHandler implements IQueryHandler<GetDelivery> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
    private readonly endpoints: EndpointFinder,
  ) {}

  async execute({ partnerId, endpointId, deliveryId }: GetDelivery): Promise<DeliveryWithBody> {
    const { mode } = await this.endpoints.find(endpointId, partnerId);
    const delivery: Pick<Delivery, keyof Delivery> = await readDelivery(this.pool, endpointId, deliveryId);
    const [notification] = (await this.pool.query<DeliveredNotification>(NOTIFICATION, [endpointId, deliveryId])).rows;
    if (!notification) throw new WebhookRejection('delivery_unknown');
    const isShown = await this.isShown(partnerId, notification);
    // The sender makes the text of the same columns by the same function.
    return { ...delivery, body: isShown ? notificationBody({ ...notification, mode }) : null };
  }

  private async isShown(partnerId: string, { type, rupa_id, response_status, data }: DeliveredNotification): Promise<boolean> {
    if (rupa_id === null || type === ERASED_TYPE) return true;
    const disclosure = await disclosureOf(this.pool, this.macs, partnerId, rupa_id);
    if (disclosure !== 'received') return disclosure === 'all';
    return response_status !== null || (data as { readonly test?: true } | null | undefined)?.test === true;
  }
}
