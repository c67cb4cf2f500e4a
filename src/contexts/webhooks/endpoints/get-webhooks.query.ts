import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { endpointsOf } from '../../../../projections/webhook-endpoint/webhook-endpoint.reader.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { type WebhookEndpoint } from './webhook-responses.dto.js';
import { WebhookRejection } from '../domain/webhook.js';

/**
 * Lists a partner's endpoints, or the one with the given id.
 * @throws Rejection `webhook_unknown` if the partner has no endpoint with that id
 */
export class GetWebhooks extends Query<WebhookEndpoint[]> {
  constructor(
    readonly partnerId: string,
    readonly endpointId?: number,
  ) {
    super();
  }
}

@QueryHandler(GetWebhooks)
export class GetWebhooksHandler implements IQueryHandler<GetWebhooks> {
  constructor(@Inject(FREE_CALLS_POOL) private readonly pool: Pool) {}

  async execute({ partnerId, endpointId }: GetWebhooks): Promise<WebhookEndpoint[]> {
    const rows = await endpointsOf(this.pool, partnerId, endpointId);
    if (endpointId !== undefined && rows.length === 0) throw new WebhookRejection('webhook_unknown');
    return rows;
  }
}
