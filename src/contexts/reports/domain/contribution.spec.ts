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
  const by = { is_about_test_farmer: false, test_run: 0, at: when, actor: 'key:k1' };
  return { contribution: { ...contribution, contribution_id: 8, ...rest }, occurred_at, ...by };
};
/** A report about a test farmer, in a run of the account. */
const tested = (test_run: number, changes: Partial<Contribution> = {}): Report => ({
  ...report({ rupa_id: 'rp-test-gold', ...changes }),
  is_about_test_farmer: true,
  test_run,
});
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

  const inRun = (test_run: number): ContributionEvent => ({
    type: 'ContributionRecorded',
    data: { ...recorded.data, rupa_id: 'rp-test-gold', test_run },
  });
  const dataOf = { occurred_at: later, recorded_at: later, actor: 'key:k1' };

  it('about a test farmer belongs to the run of the account', () => {
    given(contributionDecider, [])
      .when(tested(2))
      .then([
        { type: 'ContributionRecorded', data: { ...contribution, contribution_id: 8, rupa_id: 'rp-test-gold', test_run: 2, ...dataOf } },
      ]);
    given(contributionDecider, [inRun(2)])
      .when(tested(2))
      .thenNothing();
  });

  it('creates a contribution if the one with its reference was about a test farmer in an earlier run, whatever it is about', () => {
    given(contributionDecider, [inRun(0)])
      .when(tested(1))
      .then([
        { type: 'ContributionRecorded', data: { ...contribution, contribution_id: 8, rupa_id: 'rp-test-gold', test_run: 1, ...dataOf } },
      ]);
    given(contributionDecider, [inRun(0)])
      .when({ ...report(), test_run: 1 })
      .then([{ type: 'ContributionRecorded', data: { ...contribution, contribution_id: 8, ...dataOf } }]);
  });

  it('updates the contribution of another farmer after a reset, also if that moves it to a test farmer', () => {
    given(contributionDecider, [recorded])
      .when(tested(1))
      .then([
        {
          type: 'ContributionUpdated',
          data: { ...contribution, rupa_id: 'rp-test-gold', test_run: 1, ...dataOf, previous_rupa_id: 'rp-1' },
        },
      ]);
  });

  it('never leaves the run of its contribution for an earlier one that an instance still knows', () => {
    given(contributionDecider, [inRun(3)])
      .when(tested(2))
      .thenNothing();
  });
});
