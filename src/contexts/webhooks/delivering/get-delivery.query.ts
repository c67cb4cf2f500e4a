import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { notificationBody } from '../domain/notification.js';
import { EndpointFinder } from '../endpoints/endpoint-finder.js';
import { type DeliveryWithBody } from '../endpoints/webhook-responses.dto.js';
import { ERASED_TYPE } from '../domain/notification-types.js';
import { disclosureOf } from './disclosure.js';
import { deliveryOf, readDelivery, type StoredDelivery } from './get-deliveries.query.js';

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
    const row = await readDelivery(this.pool, this.macs, endpointId, deliveryId);
    const isShown = await this.isShown(partnerId, row);
    // The sender makes the text of the same columns by the same function.
    return { ...deliveryOf(row), body: isShown ? notificationBody({ ...row, mode }) : null };
  }

  private async isShown(partnerId: string, { type, rupa_id, response_status, data }: StoredDelivery): Promise<boolean> {
    if (rupa_id === null || type === ERASED_TYPE) return true;
    const disclosure = await disclosureOf(this.pool, this.macs, partnerId, rupa_id);
    if (disclosure !== 'received') return disclosure === 'all';
    return response_status !== null || (data as { readonly test?: true } | null | undefined)?.test === true;
  }
}
