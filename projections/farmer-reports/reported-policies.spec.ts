import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ContributionRow } from '../contribution/contribution-table.js';
import { MAX_LISTED, newestFirst, policyOf } from './reported-lists.js';
import { NO_POLICIES, policiesAt, withPolicies } from './reported-policies.js';

const HOUR_MS = 3_600_000;
const at = (hours: number): string => new Date(Date.parse('2026-01-01') + hours * HOUR_MS).toISOString();

const report = (contribution_id: number, over: Partial<ContributionRow>): ContributionRow => ({
  contribution_id,
  partner_id: 'p',
  account_type: 'insurer',
  rupa_id: 'rp-1',
  subject: 'rp-1',
  test_run: null,
  event: 'policy_issued',
  currency: 'NGN',
  occurred_at: at(0),
  amount_minor: 100,
  partner_reference: null,
  loan_reference: null,
  expires_at: null,
  goods: null,
  payload: null,
  recorded_at: at(0),
  updated_at: at(0),
  event_revision: '0',
  mac: '',
  ...over,
});

const anyPolicy = fc.record({
  occurred_at: fc.nat({ max: 20 }).map(at),
  expires_at: fc.option(fc.nat({ max: 60 }).map(at)),
  updated_at: fc.nat({ max: 20 }).map(at),
  amount_minor: fc.option(fc.nat({ max: 9 })),
  currency: fc.constantFrom('NGN', 'USD'),
});
/** More policies than a list shows, also if the half of them have expired. */
const anyPolicies = fc
  .array(anyPolicy, { minLength: 1, maxLength: 3 * MAX_LISTED, size: 'max' })
  .map((policies) => policies.map((policy, id) => report(id, policy)));

function inForce(rows: readonly ContributionRow[], time: string) {
  const policies = rows.filter(({ expires_at }) => expires_at === null || expires_at > time);
  const inNaira = policies.filter(({ currency }) => currency === 'NGN');
  return {
    newest: policies.map(policyOf).sort(newestFirst).slice(0, MAX_LISTED),
    total_kobo: inNaira.reduce((sum, { amount_minor }) => sum + (amount_minor ?? 0), 0),
  };
}

describe('the kept policies', () => {
  it('show those in force at any time after the last report', () => {
    fc.assert(
      fc.property(anyPolicies, fc.integer({ min: 20, max: 70 }), (rows, hours) => {
        expect(policiesAt(withPolicies(NO_POLICIES, rows), at(hours))).toStrictEqual(inForce(rows, at(hours)));
      }),
    );
  });

  it('are the same whether policies are added one by one or together', () => {
    fc.assert(
      fc.property(anyPolicies, fc.nat(), (rows, cut) => {
        const parts = [rows.slice(0, cut % rows.length), rows.slice(cut % rows.length)];
        expect(parts.reduce(withPolicies, NO_POLICIES)).toStrictEqual(withPolicies(NO_POLICIES, rows.toReversed()));
      }),
    );
  });

  it('are no more than the list shows while newer ones are in force for as long', () => {
    const rows = Array.from({ length: 1_000 }, (_, id) => report(id, { occurred_at: at(id), expires_at: at(2_000 + id) }));
    expect(withPolicies(NO_POLICIES, rows).listed).toHaveLength(MAX_LISTED);
    expect(policiesAt(withPolicies(NO_POLICIES, rows), at(2_950)).newest).toHaveLength(49);
  });

  it('leave out those that had expired when the last one was reported', () => {
    const expired = report(1, { expires_at: at(1) });
    expect(withPolicies(NO_POLICIES, [expired, report(2, { updated_at: at(1) })])).toMatchObject({
      as_of: at(1),
      listed: [{ contribution_id: 2 }],
      sums: [[null, '100']],
    });
  });

  it('have an exact sum beyond the exact range of numbers', () => {
    const rows = [1, 2, 3].map((id) => report(id, { amount_minor: Number.MAX_SAFE_INTEGER }));
    expect(withPolicies(NO_POLICIES, rows).sums).toStrictEqual([[null, (3n * BigInt(Number.MAX_SAFE_INTEGER)).toString()]]);
  });
});
