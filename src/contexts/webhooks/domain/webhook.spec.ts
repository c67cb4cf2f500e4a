import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { type DisabledReason, type WebhookEvent } from './events.js';
import { webhookDecider } from './webhook.js';

const at = '2026-11-21T10:00:00.000Z';
const commandBase = { endpoint_id: 7, partner_id: 'p1', at, actor: 'key:k1' };
const recorded = { endpoint_id: 7, partner_id: 'p1', recorded_at: at, actor: 'key:k1' };
const settings = { url: 'https://partner.example/hook', name: null, events: ['*'] };
const registered: WebhookEvent = { type: 'WebhookRegistered', data: { ...recorded, ...settings, mode: 'live', secret_id: 's1' } };
const disabled: WebhookEvent = { type: 'WebhookDisabled', data: { ...recorded, reason: 'failing' } };
const disabledBy = (reason: DisabledReason): WebhookEvent => ({ type: 'WebhookDisabled', data: { ...recorded, reason } });
const enabled: WebhookEvent = { type: 'WebhookEnabled', data: recorded };
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

  it('is disabled once by its failures, and enabled again by any update', () => {
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

  it.each(['operator', 'partner'] as const)('that a call of the %s has disabled stays disabled when it is updated', (reason) => {
    given(webhookDecider, [registered])
      .when({ ...commandBase, kind: 'disable', reason })
      .then([disabledBy(reason)]);
    given(webhookDecider, [registered, disabledBy(reason)])
      .when(update({}))
      .thenNothing();
    const renamed: WebhookEvent = { type: 'WebhookUpdated', data: { ...recorded, ...settings, name: 'main', stays_disabled: true } };
    given(webhookDecider, [registered, disabledBy(reason)])
      .when(update({ name: 'main' }))
      .then([renamed]);
    given(webhookDecider, [registered, disabledBy(reason), renamed])
      .when(update({ name: 'main' }))
      .thenNothing();
  });

  it('is enabled once by a call, whatever has disabled it', () => {
    for (const reason of ['gone', 'failing', 'operator', 'partner'] as const)
      given(webhookDecider, [registered, disabledBy(reason)])
        .when({ ...commandBase, kind: 'enable' })
        .then([enabled]);
    for (const history of [[registered], [registered, disabledBy('partner'), enabled]])
      given(webhookDecider, history)
        .when({ ...commandBase, kind: 'enable' })
        .thenNothing();
    given(webhookDecider, [registered, disabledBy('partner'), enabled, disabled])
      .when(update({}))
      .then([{ type: 'WebhookUpdated', data: { ...recorded, ...settings } }]);
  });

  it('that its failures have disabled can be disabled by a call, after which no update enables it', () => {
    given(webhookDecider, [registered, disabled])
      .when({ ...commandBase, kind: 'disable', reason: 'partner' })
      .then([disabledBy('partner')]);
    given(webhookDecider, [registered, disabled, disabledBy('partner')])
      .when(update({}))
      .thenNothing();
  });

  it('that a call has disabled is disabled by nothing else', () => {
    for (const reason of ['gone', 'failing', 'operator', 'partner'] as const)
      given(webhookDecider, [registered, disabledBy('partner')])
        .when({ ...commandBase, kind: 'disable', reason })
        .thenNothing();
  });

  it('reads an update from before there were calls to enable it, which enabled it whatever had disabled it', () => {
    const updated: WebhookEvent = { type: 'WebhookUpdated', data: { ...recorded, ...settings } };
    given(webhookDecider, [registered, disabledBy('operator'), updated])
      .when({ ...commandBase, kind: 'enable' })
      .thenNothing();
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
    given(webhookDecider, [registered])
      .when({ ...commandBase, partner_id: 'p2', kind: 'enable' })
      .thenRejected('webhook_unknown');
  });
});
