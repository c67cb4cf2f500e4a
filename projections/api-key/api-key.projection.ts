import { defineEntity } from '@mikro-orm/core';
import { type ApiKeyEvent } from '../../src/contexts/partners/domain/api-key-events.js';
import { projection, type WithoutMac } from '../../src/platform/projecting/projection.js';
import { authenticatedColumns, column, expressionIndex, type RowOf } from '../columns.js';

/** Whether the key is linked to a partner, as a number that an index can have before the time. */
export const IS_LINKED = '(case when partner_id is null then 0 else 1 end)';

const table = defineEntity({
  name: 'api_key',
  tableName: 'api_key',
  properties: {
    key_id: column.text().primary(),
    /** SHA-256 of the key, in hex. */
    key_hash: column.text().unique(),
    label: column.text().nullable(),
    partner_id: column.text().nullable(),
    deactivated: column.boolean(),
    /** ISO 8601, UTC. */
    created_at: column.time(),
    deactivated_at: column.time().nullable(),
    /** The first 15 and the last four characters of the key; null for keys that were issued before events had them. */
    prefix: column.text().nullable(),
    last_four: column.text().nullable(),
    /** The key that the partner replaced by this one. */
    rotated_from: column.text().nullable(),
    /** From then on the key is refused. */
    expires_at: column.time().nullable(),
    ...authenticatedColumns,
  },
  // Keys are issued rarely, so each list has an index in its order.
  indexes: [
    { properties: ['created_at', 'key_id'] },
    { properties: ['partner_id', 'created_at', 'key_id'] },
    expressionIndex('linked', `(${IS_LINKED}, created_at, key_id)`),
  ],
});

export type ApiKeyRow = RowOf<typeof table>;

const keys = ({ data }: { data: { key_id: string } }) => [{ key_id: data.key_id }];

/** All API keys, each with the partner to which it is linked. */
export const apiKeyProjection = projection<WithoutMac<ApiKeyRow>, ApiKeyEvent>({
  name: 'api_key',
  version: 5,
  table,
  cached: true,
  followsStream: true,
  handlers: {
    ApiKeyIssued: {
      keys,
      apply: (_row, { data: { key_id, key_hash, label, partner_id, prefix, last_four, rotated_from, recorded_at } }) => ({
        key_id,
        key_hash,
        label,
        partner_id,
        deactivated: false,
        created_at: recorded_at,
        deactivated_at: null,
        prefix: prefix ?? null,
        last_four: last_four ?? null,
        rotated_from: rotated_from ?? null,
        expires_at: null,
      }),
    },
    ApiKeyLinked: { keys, apply: (row, { data }) => row && { ...row, partner_id: data.partner_id } },
    ApiKeyExpirySet: { keys, apply: (row, { data }) => row && { ...row, expires_at: data.expires_at } },
    ApiKeyDeactivated: { keys, apply: (row, { data }) => row && { ...row, deactivated: true, deactivated_at: data.recorded_at } },
  },
});
