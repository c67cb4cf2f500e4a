import { describe, expect, it } from '@jest/globals';
import { type Contribution, type ContributionEvent } from '../../src/contexts/reports/domain/events.js';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { contributionProjection } from './contribution.projection.js';

const at = '2026-11-21T10:00:00.000Z';
const later = '2026-11-21T11:00:00.000Z';
const contribution: Contribution = {
  contribution_id: 7,
  partner_id: 'p1',
  account_type: 'bank',
  rupa_id: 'rp-1',
  event: 'loan_repayment',
  currency: 'NGN',
  occurred_at: at,
  amount_minor: 500_00,
  partner_reference: 'r1',
  payload: { loan_reference: ' loan-1 ', expires_at: '2027-01-01', item: 'maize' },
};
const row = {
  ...contribution,
  subject: 'rp-1',
  test_run: null,
  loan_reference: 'loan-1',
  expires_at: null,
  goods: null,
  recorded_at: at,
  updated_at: at,
};

const reported = (over: Partial<Contribution> = {}): ContributionEvent => ({
  type: 'ContributionRecorded',
  data: { ...contribution, ...over, recorded_at: at, actor: 'key:k1' },
});
const updated = (over: Partial<Contribution> = {}): ContributionEvent => ({
  type: 'ContributionUpdated',
  data: { ...contribution, ...over, previous_rupa_id: 'rp-1', recorded_at: later, actor: 'key:k1' },
});
const rows = (...events: ContributionEvent[]) => project(contributionProjection, recorded(events));

describe('the contribution read model', () => {
  it('shows a report with the known fields of its payload', () => {
    expect(rows(reported())).toEqual([row]);
    expect(rows(reported({ event: 'policy_issued' }))).toEqual([
      { ...row, event: 'policy_issued', loan_reference: null, expires_at: '2027-01-01T00:00:00.000Z' },
    ]);
    const payload = { item: 'maize', quantity: 2.5, unit: 7 };
    expect(rows(reported({ event: 'harvest_record', payload }))).toEqual([
      { ...row, event: 'harvest_record', loan_reference: null, payload, goods: { item: 'maize', quantity: 2.5, unit: null } },
    ]);
  });

  it('shows the updated report, also if it was moved to another farmer', () => {
    expect(rows(reported(), updated({ rupa_id: 'rp-2', amount_minor: null, payload: null }))).toEqual([
      { ...row, rupa_id: 'rp-2', subject: 'rp-2', amount_minor: null, payload: null, loan_reference: null, updated_at: later },
    ]);
  });

  it('shows a report about a test farmer as one of the account and its run', () => {
    expect(rows(reported({ rupa_id: 'rp-test-gold', test_run: 3 }))).toEqual([
      { ...row, rupa_id: 'rp-test-gold', subject: 'rp-test-gold p1 3', test_run: 3 },
    ]);
  });

  it('keeps the row of a report whose personal fields cannot be decrypted any more', () => {
    const unreadable = { amount_minor: null, partner_reference: null, payload: null };
    expect(rows(reported(unreadable))).toEqual([{ ...row, ...unreadable, loan_reference: null }]);
  });

  it('ignores a time in the payload that PostgreSQL cannot store', () => {
    const [{ expires_at } = {}] = rows(reported({ event: 'policy_issued', payload: { expires_at: '+275760-09-13' } })) as {
      expires_at?: string | null;
    }[];
    expect(expires_at).toBeNull();
  });
});
