import { type PoolClient } from 'pg';
import { type PartnerEvent } from '../../partners/domain/events.js';
import { indexableText } from '../../../platform/database/postgres-text.js';
import { columnsOf } from '../../../platform/database/typed-sql.js';
import { type RecordedEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { sequenceOffset } from '../../../platform/projecting/checkpoints.js';
import { type WebhookEndpointRow } from '../../../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { lockRecoveries } from '../delivering/delivery-queue.js';
import { WEBHOOK_SUBSCRIBER } from './notification-writer.js';

export type SandboxReset = RecordedEvent<Extract<PartnerEvent, { readonly type: 'SandboxReset' }>>;

const e = columnsOf<WebhookEndpointRow>('e');

const ENDPOINTS = `select ${e.endpoint_id} from read.webhook_endpoint e where ${e.partner_id} = $1 order by ${e.endpoint_id}`;
const BEFORE = `sequence < $3::numeric + ${sequenceOffset(WEBHOOK_SUBSCRIBER)}`;
const DELETE_DELIVERIES = `delete from ops.webhook_delivery where endpoint_id = any($1) and rupa_id = any($2) and ${BEFORE}`;
const DELETE_NOTIFICATIONS = `delete from ops.notification where partner_id = $1 and rupa_id = any($2) and ${BEFORE}`;

/**
 * Deletes the notifications and deliveries about test farmers that a partner was reset from, whether delivered or not. Call it in the transaction
 * that writes the notifications before the resets.
 */
export async function deleteResetNotifications(client: PoolClient, resets: readonly SandboxReset[]): Promise<void> {
  for (const { data, position } of resets) {
    const partnerId = indexableText(data.partner_id);
    const { rows } = await client.query<Pick<WebhookEndpointRow, 'endpoint_id'>>(ENDPOINTS, [partnerId]);
    const endpoints = rows.map(({ endpoint_id }) => endpoint_id);
    await lockRecoveries(client, endpoints);
    const values = [data.rupa_ids.map(indexableText), position.toString()];
    await client.query(DELETE_DELIVERIES, [endpoints, ...values]);
    await client.query(DELETE_NOTIFICATIONS, [partnerId, ...values]);
  }
}
