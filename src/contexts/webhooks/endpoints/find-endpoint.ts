import { type ClientBase, type Pool } from 'pg';
import { endpointById, type FoundEndpoint } from '../../../../projections/webhook-endpoint/webhook-endpoint.reader.js';
import { WebhookRejection } from '../domain/webhook.js';

/**
 * Returns an endpoint.
 * @param partnerId the partner that calls; without one, the endpoint may be of any
 * @throws Rejection `webhook_unknown` if the endpoint does not exist, was deleted or belongs to another partner
 */
export async function findEndpoint(database: Pool | ClientBase, endpointId: number, partnerId?: string): Promise<FoundEndpoint> {
  const endpoint = await endpointById(database, endpointId, partnerId);
  if (!endpoint) throw new WebhookRejection('webhook_unknown');
  return endpoint;
}

/**
 * Returns an endpoint like {@link findEndpoint}.
 * @throws Rejection `webhook_disabled`, because a delivery to a disabled endpoint would be cancelled
 */
export async function findEnabledEndpoint(database: Pool | ClientBase, endpointId: number, partnerId?: string): Promise<FoundEndpoint> {
  const endpoint = await findEndpoint(database, endpointId, partnerId);
  if (endpoint.status === 'disabled') throw new WebhookRejection('webhook_disabled');
  return endpoint;
}
