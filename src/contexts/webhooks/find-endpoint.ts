import { type ClientBase, type Pool } from 'pg';
import { type WebhookEndpointRow } from '../../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { WebhookRejection } from './domain/rejections.js';

type Endpoint = Pick<WebhookEndpointRow, 'partner_id' | 'mode' | 'status' | 'replaced_secrets'>;

/**
 * Returns an endpoint.
 * @param partnerId the partner that calls; without one, the endpoint may be of any
 * @throws Rejection `webhook_unknown` if the endpoint does not exist, was deleted or belongs to another partner
 */
export async function findEndpoint(database: Pool | ClientBase, endpointId: number, partnerId?: string): Promise<Endpoint> {
  const { rows } = await database.query<Endpoint>(
    `select partner_id, mode, status, replaced_secrets from read.webhook_endpoint
     where endpoint_id = $1 and ($2::text is null or partner_id = $2) and status <> 'deleted'`,
    [endpointId, partnerId ?? null],
  );
  const [endpoint] = rows;
  if (!endpoint) throw new WebhookRejection('webhook_unknown');
  return endpoint;
}

/**
 * Returns an endpoint like {@link findEndpoint}.
 * @throws Rejection `webhook_disabled`, because a delivery to a disabled endpoint would be cancelled
 */
export async function findEnabledEndpoint(database: Pool | ClientBase, endpointId: number, partnerId?: string): Promise<Endpoint> {
  const endpoint = await findEndpoint(database, endpointId, partnerId);
  if (endpoint.status === 'disabled') throw new WebhookRejection('webhook_disabled');
  return endpoint;
}
