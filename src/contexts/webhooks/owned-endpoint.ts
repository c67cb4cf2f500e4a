import { type Pool } from 'pg';
import { WebhookRejection } from './domain/rejections.js';

/** @throws Rejection `webhook_unknown` if the endpoint does not exist, was deleted or belongs to another partner */
export async function assertEndpointOwned(pool: Pool, partnerId: string, endpointId: number): Promise<void> {
  const { rowCount } = await pool.query(
    "select from read.webhook_endpoint where partner_id = $1 and endpoint_id = $2 and status <> 'deleted'",
    [partnerId, endpointId],
  );
  if (rowCount === 0) throw new WebhookRejection('webhook_unknown');
}
