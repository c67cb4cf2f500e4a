import { type Pool } from 'pg';
import { type WebhookEndpointRow } from '../../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { WebhookRejection } from './domain/rejections.js';

type ReplacedSecrets = WebhookEndpointRow['replaced_secrets'];

/**
 * Returns the endpoint's replaced secrets, newest first.
 * @throws Rejection `webhook_unknown` if the endpoint does not exist, was deleted or belongs to another partner
 */
export async function assertEndpointOwned(pool: Pool, partnerId: string, endpointId: number): Promise<ReplacedSecrets> {
  const { rows } = await pool.query<Pick<WebhookEndpointRow, 'replaced_secrets'>>(
    "select replaced_secrets from read.webhook_endpoint where partner_id = $1 and endpoint_id = $2 and status <> 'deleted'",
    [partnerId, endpointId],
  );
  const [row] = rows;
  if (!row) throw new WebhookRejection('webhook_unknown');
  return row.replaced_secrets;
}

/** @throws Rejection `webhook_unknown`, or `webhook_disabled`, because a delivery to a disabled endpoint would be cancelled */
export async function assertEndpointEnabled(pool: Pool, partnerId: string, endpointId: number): Promise<void> {
  const { rows } = await pool.query<Pick<WebhookEndpointRow, 'status'>>(
    "select status from read.webhook_endpoint where partner_id = $1 and endpoint_id = $2 and status <> 'deleted'",
    [partnerId, endpointId],
  );
  const [row] = rows;
  if (!row) throw new WebhookRejection('webhook_unknown');
  if (row.status === 'disabled') throw new WebhookRejection('webhook_disabled');
}

/** Returns the partner of an endpoint. @throws Rejection `webhook_unknown` if the endpoint does not exist or was deleted */
export async function ownerOf(pool: Pool, endpointId: number): Promise<Pick<WebhookEndpointRow, 'partner_id' | 'mode'>> {
  const { rows } = await pool.query<Pick<WebhookEndpointRow, 'partner_id' | 'mode'>>(
    "select partner_id, mode from read.webhook_endpoint where endpoint_id = $1 and status <> 'deleted'",
    [endpointId],
  );
  const [row] = rows;
  if (!row) throw new WebhookRejection('webhook_unknown');
  return row;
}
