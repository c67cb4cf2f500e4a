import { describe, expect, it } from '@jest/globals';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { type WebhookEvent } from '../../src/contexts/webhooks/domain/events.js';
import { webhookEndpointProjection } from './webhook-endpoint.projection.js';

const at = '2026-11-21T10:00:00.000Z';
const common = { endpoint_id: 7, partner_id: 'p1', recorded_at: at, actor: 'key:k1' };
const settings = { url: 'https://partner.example/hook', name: null, events: ['*'] };
const registered: WebhookEvent = { type: 'WebhookRegistered', data: { ...common, ...settings, mode: 'live', secret_id: 's1' } };
const disabled: WebhookEvent = { type: 'WebhookDisabled', data: { ...common, reason: 'gone' } };
const rotated = (secret_id: string, previous_secret_id: string): WebhookEvent => ({
  type: 'SigningSecretRotated',
  data: { ...common, secret_id, previous_secret_id },
});
const row = {
  endpoint_id: 7,
  partner_id: 'p1',
  mode: 'live',
  ...settings,
  status: 'enabled',
  disabled_reason: null,
  secret_id: 's1',
  replaced_secrets: [],
  registered_at: at,
  enabled_position: '100',
};
const rows = (...events: WebhookEvent[]) => project(webhookEndpointProjection, recorded([registered, ...events]));

describe('the webhook endpoint read model', () => {
  it('shows a registered endpoint and its updates', () => {
    expect(rows()).toStrictEqual([row]);
    expect(rows({ type: 'WebhookUpdated', data: { ...common, ...settings, name: 'main' } })).toStrictEqual([{ ...row, name: 'main' }]);
  });

  it('shows a disabled endpoint, and notifies it again from the update that enables it', () => {
    expect(rows(disabled)).toStrictEqual([{ ...row, status: 'disabled', disabled_reason: 'gone' }]);
    expect(rows(disabled, { type: 'WebhookUpdated', data: { ...common, ...settings } })).toStrictEqual([
      { ...row, enabled_position: '300' },
    ]);
  });

  it('shows an endpoint that a call has disabled as disabled after an update, until it is enabled', () => {
    const byCall: WebhookEvent = { type: 'WebhookDisabled', data: { ...common, reason: 'partner' } };
    const updated: WebhookEvent = { type: 'WebhookUpdated', data: { ...common, ...settings, name: 'main', stays_disabled: true } };
    expect(rows(byCall, updated)).toStrictEqual([{ ...row, name: 'main', status: 'disabled', disabled_reason: 'partner' }]);
    expect(rows(byCall, updated, { type: 'WebhookEnabled', data: common })).toStrictEqual([
      { ...row, name: 'main', enabled_position: '400' },
    ]);
  });

  it('keeps the last replaced secrets, newest first', () => {
    const events = [rotated('s2', 's1'), rotated('s3', 's2'), rotated('s4', 's3'), rotated('s5', 's4')];
    expect(rows(...events)).toStrictEqual([
      { ...row, secret_id: 's5', replaced_secrets: ['s4', 's3', 's2'].map((secret_id) => ({ secret_id, replaced_at: at })) },
    ]);
  });

  it('marks a deleted endpoint', () => {
    expect(rows(rotated('s2', 's1'), { type: 'WebhookDeleted', data: common })).toStrictEqual([
      { ...row, status: 'deleted', secret_id: 's2' },
    ]);
  });
});
