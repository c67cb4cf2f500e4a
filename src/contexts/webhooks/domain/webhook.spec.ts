import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { type WebhookEvent } from './events.js';
import { webhookDecider } from './webhook.js';

const at = '2026-11-21T10:00:00.000Z';
const commandBase = { endpoint_id: 7, partner_id: 'p1', at, actor: 'key:k1' };
const recorded = { endpoint_id: 7, partner_id: 'p1', recorded_at: at, actor: 'key:k1' };
const settings = { url: 'https://partner.example/hook', name: null, events: ['*'] };
const registered: WebhookEvent = { type: 'WebhookRegistered', data: { ...recorded, ...settings, mode: 'live', secret_id: 's1' } };
const disabled: WebhookEvent = { type: 'WebhookDisabled', data: { ...recorded, reason: 'failing' } };
const deleted: WebhookEvent = { type: 'WebhookDeleted', data: recorded };
const update = (over: object) => ({ ...commandBase, kind: 'update' as const, settings: over });

describe('a webhook endpoint', () => {
  it('is registered once', () => {
    const register = { ...commandBase, kind: 'register' as const, mode: 'live' as const, settings, secret_id: 's1' };
    given(webhookDecider, []).when(register).then([registered]);
    given(webhookDecider, [registered]).when(register).thenNothing();
  });

  it('is updated only if a setting changes', () => {
    given(webhookDecider, [registered])
      .when(update({ name: 'main' }))
      .then([{ type: 'WebhookUpdated', data: { ...recorded, ...settings, name: 'main' } }]);
    given(webhookDecider, [registered])
      .when(update({ url: settings.url }))
      .thenNothing();
  });

  it('is disabled once, and enabled again by any update', () => {
    given(webhookDecider, [registered])
      .when({ ...commandBase, kind: 'disable', reason: 'failing' })
      .then([disabled]);
    given(webhookDecider, [registered, disabled])
      .when({ ...commandBase, kind: 'disable', reason: 'gone' })
      .thenNothing();
    given(webhookDecider, [registered, disabled])
      .when(update({}))
      .then([{ type: 'WebhookUpdated', data: { ...recorded, ...settings } }]);
  });

  it('records the previous secret’s id when its secret is rotated', () => {
    const rotated = (secret_id: string, previous_secret_id: string): WebhookEvent => ({
      type: 'SigningSecretRotated',
      data: { ...recorded, secret_id, previous_secret_id },
    });
    given(webhookDecider, [registered])
      .when({ ...commandBase, kind: 'rotate-secret', secret_id: 's2' })
      .then([rotated('s2', 's1')]);
    given(webhookDecider, [registered, rotated('s2', 's1')])
      .when({ ...commandBase, kind: 'rotate-secret', secret_id: 's3' })
      .then([rotated('s3', 's2')]);
    given(webhookDecider, [registered, rotated('s2', 's1')])
      .when({ ...commandBase, kind: 'rotate-secret', secret_id: 's2' })
      .then([]);
  });

  it('is unknown after it was deleted', () => {
    given(webhookDecider, [registered])
      .when({ ...commandBase, kind: 'delete' })
      .then([deleted]);
    given(webhookDecider, [registered, deleted])
      .when({ ...commandBase, kind: 'delete' })
      .thenRejected('webhook_unknown');
    given(webhookDecider, [registered, deleted])
      .when(update({ name: 'x' }))
      .thenRejected('webhook_unknown');
  });

  it('is unknown to other partners, and before it is registered', () => {
    given(webhookDecider, [registered])
      .when({ ...commandBase, partner_id: 'p2', kind: 'delete' })
      .thenRejected('webhook_unknown');
    given(webhookDecider, []).when(update({})).thenRejected('webhook_unknown');
  });
});
