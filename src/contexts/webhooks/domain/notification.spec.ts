import { describe, expect, it } from '@jest/globals';
import { type RecordedEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type ContributionEvent } from '../../reports/domain/events.js';
import { type FarmerEvent } from '../../farmers/domain/events.js';
import { notificationOf, NOTIFYING_TYPES } from './notification.js';

type FarmersEvent = ContributionEvent | FarmerEvent;

const at = '2026-03-01T00:00:00.000Z';
const recorded = { rupa_id: 'rp-1', recorded_at: at, actor: 'test' };
const contribution = {
  ...recorded,
  contribution_id: 7,
  partner_id: 'p1',
  account_type: 'bank' as const,
  event: 'loan_disbursed' as const,
  currency: 'NGN',
  occurred_at: '2026-02-01T00:00:00.000Z',
  amount_minor: 1,
  partner_reference: null,
  payload: null,
};
const events: { readonly [Type in FarmersEvent['type']]: Extract<FarmersEvent, { type: Type }> } = {
  ContributionRecorded: { type: 'ContributionRecorded', data: contribution },
  ContributionUpdated: { type: 'ContributionUpdated', data: { ...contribution, previous_rupa_id: 'rp-1' } },
  FarmerRegistered: { type: 'FarmerRegistered', data: { ...recorded, mode: 'live', parts: null } },
  FarmerSectionUpdated: { type: 'FarmerSectionUpdated', data: { ...recorded, part: 'identity', data_as_of: at, content: {} } },
  CreditScoreChanged: { type: 'CreditScoreChanged', data: { ...recorded, credit_score: 700 } },
  TestFarmerDefined: {
    type: 'TestFarmerDefined',
    data: {
      ...recorded,
      version: 1,
      lookups: 'succeed',
      reports: { loans: [], repayments: [], policies: [], harvests: [], input_purchases: [] },
    },
  },
  FarmerErased: { type: 'FarmerErased', data: recorded },
};
const notified = (event: FarmersEvent) => notificationOf({ ...event, id: 'e1', position: 9n } as unknown as RecordedEvent<FarmersEvent>);

describe('notifications', () => {
  it('are created for new contributions and for changed credit scores', () => {
    expect([...NOTIFYING_TYPES].sort()).toStrictEqual(['ContributionRecorded', 'CreditScoreChanged']);
    const common = { event_id: 'e1', rupa_id: 'rp-1', recorded_at: at, sequence: '9', only_for: null, test_run: null };
    expect(notified(events.ContributionRecorded)).toStrictEqual({
      ...common,
      type: 'farmer.loan_added',
      event: 'loan_disbursed',
      contribution_id: 7,
      occurred_at: '2026-02-01T00:00:00.000Z',
    });
    expect(notified(events.CreditScoreChanged)).toStrictEqual({
      ...common,
      type: 'farmer.credit_score_changed',
      event: 'credit_score_changed',
      contribution_id: null,
      occurred_at: at,
    });
  });

  it('of reports about test farmers are for the account and its run alone', () => {
    const tested: FarmersEvent = { type: 'ContributionRecorded', data: { ...contribution, test_run: 2 } };
    expect(notified(tested)).toMatchObject({ only_for: 'p1', test_run: 2 });
  });

  it.each(Object.values(events))('exist for $type exactly if NOTIFYING_TYPES contains it', (event) => {
    expect(notified(event) !== undefined).toBe(NOTIFYING_TYPES.has(event.type));
  });
});
