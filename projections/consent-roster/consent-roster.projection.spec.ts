import { describe, expect, it } from '@jest/globals';
import { type ConsentEvent } from '../../src/contexts/consents/domain/events.js';
import { type PartnerEvent } from '../../src/contexts/partners/domain/events.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { at, debited, granted, refunded, settled } from '../../test/support/unit/wallet-events.js';
import { consentRosterProjection } from './consent-roster.projection.js';

const later = '2026-11-21T11:00:00.000Z';
const after = (...events: (WalletEvent | ConsentEvent | PartnerEvent)[]) => project(consentRosterProjection, recorded(events));
const row = {
  partner_id: 'p1',
  rupa_id: 'rp-1',
  source: 'loan',
  granted_at: at,
  last_accessed_at: at,
  access_count: 1,
  granted_revision: 0,
  last_revision: 0,
  granted_position: '100',
};

function released(granted_revision: number): ConsentEvent {
  return { type: 'ConsentReleased', data: { partner_id: 'p1', rupa_id: 'rp-1', granted_revision, recorded_at: later, actor: 'key:k1' } };
}

const reset = (...rupa_ids: string[]): PartnerEvent => ({
  type: 'SandboxReset',
  data: { partner_id: 'p1', test_run: 1, rupa_ids, recorded_at: later, actor: 'key:k1' },
});

describe('the consent roster', () => {
  it('gets an entry with the first lookup', () => {
    expect(after(debited('l1', 'rp-1'), granted('l1', 'rp-1'), settled({ lookup_id: 'l1', debit_revision: 0 }))).toStrictEqual([row]);
  });

  it('counts further lookups and keeps the first one’s source', () => {
    expect(after(debited('l1', 'rp-1'), debited('l2', 'rp-1', { source: 'renewal', recorded_at: later }))).toStrictEqual([
      { ...row, last_accessed_at: later, last_revision: 1, access_count: 2 },
    ]);
  });

  it('removes a released entry, and adds a new one with the next lookup', () => {
    expect(after(debited('l1', 'rp-1'), released(0))).toStrictEqual([]);
    expect(after(debited('l1', 'rp-1'), released(0), debited('l2', 'rp-1'))).toStrictEqual([
      { ...row, granted_revision: 2, last_revision: 2, granted_position: '300' },
    ]);
  });

  it('subtracts a refunded access, and removes the entry with its only access', () => {
    expect(after(debited('l1', 'rp-1'), debited('l2', 'rp-1'), refunded('l2', 'rp-1', 1))).toStrictEqual([{ ...row, last_revision: 1 }]);
    expect(after(debited('l1', 'rp-1'), refunded('l1', 'rp-1', 0))).toStrictEqual([]);
  });

  it('does not subtract a refunded access of a consent that was released before', () => {
    expect(after(debited('l1', 'rp-1'), released(0), debited('l2', 'rp-1'), refunded('l1', 'rp-1', 0))).toStrictEqual([
      { ...row, granted_revision: 2, last_revision: 2, granted_position: '300' },
    ]);
  });

  it('loses the test farmers of a reset, and gets a new entry with the next lookup', () => {
    expect(after(debited('l1', 'rp-1'), debited('l2', 'rp-2'), reset('rp-1', 'rp-3'))).toMatchObject([{ rupa_id: 'rp-2' }]);
    expect(after(debited('l1', 'rp-1'), reset('rp-1'), debited('l2', 'rp-1'), refunded('l1', 'rp-1', 0))).toStrictEqual([
      { ...row, granted_revision: 2, last_revision: 2, granted_position: '300' },
    ]);
  });

  it('is the same for every batch size', () => {
    const events = recorded([
      debited('l1', 'rp-1'),
      debited('l2', 'rp-2'),
      released(0),
      debited('l3', 'rp-1'),
      debited('l5', 'rp-3'),
      reset('rp-3'),
      refunded('l2', 'rp-2', 1),
      debited('l4', 'rp-2'),
    ]);
    const whole = project(consentRosterProjection, events);
    expect(whole).toHaveLength(2);
    for (const size of [1, 2, 3, 5]) expect(project(consentRosterProjection, events, size)).toStrictEqual(expect.arrayContaining(whole));
  });
});
