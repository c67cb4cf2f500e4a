import { defineEntity } from '@mikro-orm/core';
import { type Mode } from '../../src/kernel/accounts.js';
import { projection, type WithoutMac } from '../../src/platform/projecting/projection.js';
import { type WebhookEvent } from '../../src/contexts/webhooks/domain/events.js';
import { authenticatedColumns, column, type RowOf } from '../columns.js';

const table = defineEntity({
  name: 'webhook_endpoint',
  tableName: 'webhook_endpoint',
  properties: {
    endpoint_id: column.integer().primary(),
    partner_id: column.text(),
    mode: column.text<Mode>(),
    url: column.text(),
    name: column.text().nullable(),
    events: column.json<readonly string[]>(),
    /** A deleted endpoint keeps its row, because its pending deliveries must still be cancelled. */
    status: column.text<'enabled' | 'disabled' | 'deleted'>(),
    disabled_reason: column.text().nullable(),
    secret_id: column.text(),
    /** Replaced secrets, newest first. Each is still used for signing until a day after its replacement. */
    replaced_secrets: column.json<readonly { readonly secret_id: string; readonly replaced_at: string }[]>(),
    registered_at: column.time(),
    /** Position in $all of the registration or of the latest re-enabling, from which on the endpoint is notified. */
    enabled_position: column.position(),
    ...authenticatedColumns,
  },
  // A partner may register and delete endpoints again and again, so the indexes of the lists leave out the deleted ones.
  indexes: [
    { properties: ['partner_id', 'endpoint_id'], where: "status <> 'deleted'" },
    { name: 'undeleted', properties: ['endpoint_id'], where: "status <> 'deleted'" },
    { name: 'given_up', properties: ['endpoint_id'], where: "status <> 'deleted' and disabled_reason in ('failing', 'gone')" },
  ],
});

export type WebhookEndpointRow = RowOf<typeof table>;

/** Limits the size of the signature header, which has one signature per secret. */
export const REPLACED_SECRETS_KEPT = 3;

const keys = ({ data }: { data: { endpoint_id: number } }) => [{ endpoint_id: data.endpoint_id }];

function enabled(row: WithoutMac<WebhookEndpointRow>, position: bigint): WithoutMac<WebhookEndpointRow> {
  return { ...row, status: 'enabled', disabled_reason: null, enabled_position: position.toString() };
}

/** Partners' webhook endpoints. The subscriber selects the recipients of an event here, and the sender reads the URLs. */
export const webhookEndpointProjection = projection<WithoutMac<WebhookEndpointRow>, WebhookEvent>({
  name: 'webhook_endpoint',
  version: 4,
  table,
  followsStream: true,
  handlers: {
    WebhookRegistered: {
      creates: true,
      keys,
      apply: (_row, { data: { endpoint_id, partner_id, mode, url, name, events, secret_id, recorded_at }, position }) => ({
        endpoint_id,
        partner_id,
        mode,
        url,
        name,
        events,
        status: 'enabled',
        disabled_reason: null,
        secret_id,
        replaced_secrets: [],
        registered_at: recorded_at,
        enabled_position: position.toString(),
      }),
    },
    WebhookUpdated: {
      keys,
      apply: (row, { data: { url, name, events, stays_disabled }, position }) => {
        if (!row) return row;
        const updated = { ...row, url, name, events };
        return row.status === 'enabled' || stays_disabled ? updated : enabled(updated, position);
      },
    },
    SigningSecretRotated: {
      keys,
      apply: (row, { data: { secret_id, previous_secret_id, recorded_at } }) => {
        if (!row) return row;
        const replaced = [{ secret_id: previous_secret_id, replaced_at: recorded_at }, ...row.replaced_secrets];
        return { ...row, secret_id, replaced_secrets: replaced.slice(0, REPLACED_SECRETS_KEPT) };
      },
    },
    WebhookDisabled: { keys, apply: (row, { data }) => row && { ...row, status: 'disabled', disabled_reason: data.reason } },
    WebhookEnabled: { keys, apply: (row, { position }) => row && enabled(row, position) },
    WebhookDeleted: { keys, apply: (row) => row && { ...row, status: 'deleted', replaced_secrets: [] } },
  },
});
