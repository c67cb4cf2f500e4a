import { describe, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { contributionDecider, type Report } from './contribution.js';
import { type Contribution, type ContributionEvent } from './events.js';

const at = '2026-11-21T10:00:00.000Z';
const later = '2026-11-21T11:00:00.000Z';
const contribution: Omit<Contribution, 'occurred_at'> = {
  contribution_id: 7,
  partner_id: 'p1',
  account_type: 'bank',
  rupa_id: 'rp-1',
  event: 'loan_disbursed',
  currency: 'NGN',
  amount_minor: 500_00,
  partner_reference: 'loan-1',
  payload: { months: 6 },
};
const report = (changes: Partial<Contribution> = {}, when = later): Report => {
  const { occurred_at, ...rest } = changes;
  return { contribution: { ...contribution, contribution_id: 8, ...rest }, occurred_at, at: when, actor: 'key:k1' };
};
const recorded: ContributionEvent = {
  type: 'ContributionRecorded',
  data: { ...contribution, occurred_at: '2026-11-01T00:00:00.000Z', recorded_at: at, actor: 'key:k1' },
};

describe('a report', () => {
  it('creates a contribution with the id that was reserved for it', () => {
    given(contributionDecider, [])
      .when(report({ occurred_at: '2026-11-01T00:00:00.000Z' }, at))
      .then([{ type: 'ContributionRecorded', data: { ...recorded.data, contribution_id: 8 } }]);
  });

  it('takes the current time if it has no occurred_at', () => {
    given(contributionDecider, [])
      .when(report({}, at))
      .then([
        { type: 'ContributionRecorded', data: { ...contribution, contribution_id: 8, occurred_at: at, recorded_at: at, actor: 'key:k1' } },
      ]);
  });

  it('replaces everything but the id if its reference is known', () => {
    const changes = { rupa_id: 'rp-2', event: 'loan_defaulted', amount_minor: null, currency: 'USD', payload: null } as const;
    given(contributionDecider, [recorded])
      .when(report({ ...changes, occurred_at: later }))
      .then([
        {
          type: 'ContributionUpdated',
          data: { ...contribution, ...changes, occurred_at: later, recorded_at: later, actor: 'key:k1', previous_rupa_id: 'rp-1' },
        },
      ]);
  });

  it('takes the current time if it has no occurred_at and changes another field', () => {
    given(contributionDecider, [recorded])
      .when(report({ amount_minor: 1 }))
      .then([
        {
          type: 'ContributionUpdated',
          data: { ...contribution, amount_minor: 1, occurred_at: later, recorded_at: later, actor: 'key:k1', previous_rupa_id: 'rp-1' },
        },
      ]);
  });

  it('changes nothing if it repeats the contribution, with or without occurred_at', () => {
    given(contributionDecider, [recorded]).when(report()).thenNothing();
    given(contributionDecider, [recorded])
      .when(report({ occurred_at: '2026-11-01T00:00:00.000Z' }))
      .thenNothing();
  });
});
