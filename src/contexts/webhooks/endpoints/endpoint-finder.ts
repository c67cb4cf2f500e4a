import { Inject, Injectable } from '@nestjs/common';
import { type ClientBase, type Pool } from 'pg';
import { endpointById, type FoundEndpoint } from '../../../../projections/webhook-endpoint/webhook-endpoint.reader.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { WebhookRejection } from '../domain/webhook.js';

/** Finds an endpoint for a call that changes it or needs its partner. */
@Injectable()
export class EndpointFinder {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
  ) {}

  /**
   * Returns an endpoint.
   * @param partnerId the partner that calls; without one, the endpoint may be of any
   * @throws Rejection `webhook_unknown` if the endpoint does not exist, was deleted or belongs to another partner; RowForged
   */
  async find(endpointId: number, partnerId?: string, database: Pool | ClientBase = this.pool): Promise<FoundEndpoint> {
    const endpoint = await endpointById(database, this.macs, endpointId, partnerId);
    if (!endpoint) throw new WebhookRejection('webhook_unknown');
    return endpoint;
  }

  /**
   * Returns an endpoint like {@link find}.
   * @throws Rejection `webhook_disabled`, because a delivery to a disabled endpoint would be cancelled
   */
  async findEnabled(endpointId: number, partnerId?: string, database?: ClientBase): Promise<FoundEndpoint> {
    const endpoint = await this.find(endpointId, partnerId, database);
    if (endpoint.status === 'disabled') throw new WebhookRejection('webhook_disabled');
    return endpoint;
  }
}
