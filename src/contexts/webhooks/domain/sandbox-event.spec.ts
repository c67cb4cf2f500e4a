import { describe, expect, it } from '@jest/globals';
import { type RecordedEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type SandboxEventTriggered } from './events.js';
import { notificationView } from './notification.js';
import { sandboxEventDecider, triggeredNotification, type TriggerSandboxEvent } from './sandbox-event.js';

const at = '2026-03-01T00:00:00.000Z';
const notification_id = '9d1f4b0e-5f0a-4b8e-8d57-5a4f4b7f6c11';
const fields = {
  notification_id,
  partner_id: 'p1',
  notification_type: 'farmer.loan_added',
  rupa_id: 'rp-1',
  threshold_kobo: null,
  actor: 'key:k1',
};
const command: TriggerSandboxEvent = { ...fields, at };
const data: SandboxEventTriggered['data'] = { ...fields, recorded_at: at };
const bodyOf = (over: Partial<SandboxEventTriggered['data']> = {}): unknown => {
  const event = { type: 'SandboxEventTriggered', id: 'e1', position: 2n ** 60n, data: { ...data, ...over } };
  const notification = triggeredNotification(event as unknown as RecordedEvent<SandboxEventTriggered>);
  return JSON.stringify(notificationView({ ...notification, mode: 'sandbox', contribution_id: null }));
};

describe('a notification that is triggered in the sandbox', () => {
  it('is recorded once', () => {
    expect(sandboxEventDecider.decide(command, { isTriggered: false })).toStrictEqual([{ type: 'SandboxEventTriggered', data }]);
    expect(sandboxEventDecider.decide(command, { isTriggered: true })).toStrictEqual([]);
    const event = { type: 'SandboxEventTriggered' as const, data, revision: 0n };
    expect(sandboxEventDecider.evolve({ isTriggered: false }, event)).toStrictEqual({ isTriggered: true });
  });

  it('has the body of a real one, and is marked as a test', () => {
    expect(bodyOf()).toBe(
      `{"id":"${notification_id}","type":"farmer.loan_added","created_at":"${at}","mode":"sandbox",` +
        `"data":{"rupa_id":"rp-1","event":"loan_disbursed","contribution_id":null,"occurred_at":"${at}","sequence":1152921504606846976,"test":true}}`,
    );
    expect(bodyOf({ notification_type: 'farmer.credit_score_changed' })).toContain('"event":"credit_score_changed"');
  });

  it('of a low balance names the threshold of the partner, or 5000', () => {
    const low = { notification_type: 'account.low_balance', rupa_id: null };
    expect(bodyOf({ ...low, threshold_kobo: 250_50 })).toContain('"data":{"balance":0,"threshold":250.5,"currency":"NGN","test":true}');
    expect(bodyOf(low)).toContain('"threshold":5000,');
  });

  it('of an erasure has the farmer and the sequence', () => {
    expect(bodyOf({ notification_type: 'farmer.erased' })).toContain(
      '"type":"farmer.erased",' +
        `"created_at":"${at}","mode":"sandbox","data":{"rupa_id":"rp-1","sequence":1152921504606846976,"test":true}}`,
    );
  });

  it('has the id of its event if the log has no UUID for it', () => {
    expect(bodyOf({ notification_id: 'x' })).toContain('"id":"e1"');
  });
});
