import { describe, expect, it } from '@jest/globals';
import { type ApiKeyEvent } from '../../src/contexts/partners/domain/api-key-events.js';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { apiKeyProjection } from './api-key.projection.js';

const data = { key_id: 'k1', recorded_at: '2026-11-21T10:00:00.000Z', actor: 'admin' };
const issued: ApiKeyEvent = { type: 'ApiKeyIssued', data: { ...data, key_hash: 'h', label: 'l', partner_id: null } };
const row = {
  key_id: 'k1',
  key_hash: 'h',
  label: 'l',
  partner_id: null,
  deactivated: false,
  created_at: data.recorded_at,
  deactivated_at: null,
  prefix: null,
  last_four: null,
  rotated_from: null,
  expires_at: null,
};
const after = (...events: ApiKeyEvent[]) => project(apiKeyProjection, recorded([issued, ...events]));

describe('the API key read model', () => {
  it('holds the hash of an issued key', () => {
    expect(after()).toStrictEqual([row]);
  });

  it('shows the partner to which a key is linked', () => {
    expect(after({ type: 'ApiKeyLinked', data: { ...data, partner_id: 'p1' } })).toStrictEqual([{ ...row, partner_id: 'p1' }]);
  });

  it('shows what tells a key from the others of its partner, and the key that it replaced', () => {
    const shown = { prefix: 'rupa_key_000000', last_four: 'LsT0', rotated_from: 'k0' };
    expect(project(apiKeyProjection, recorded([{ ...issued, data: { ...issued.data, ...shown } }]))).toStrictEqual([{ ...row, ...shown }]);
  });

  it('shows when a key ends', () => {
    const expires_at = '2026-11-22T10:00:00.000Z';
    expect(after({ type: 'ApiKeyExpirySet', data: { ...data, expires_at } })).toStrictEqual([{ ...row, expires_at }]);
  });

  it('marks a deactivated key', () => {
    const recorded_at = '2026-11-22T10:00:00.000Z';
    expect(after({ type: 'ApiKeyDeactivated', data: { ...data, recorded_at } })).toStrictEqual([
      { ...row, deactivated: true, deactivated_at: recorded_at },
    ]);
  });
});
