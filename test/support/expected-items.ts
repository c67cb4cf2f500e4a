import { type ContributionRow } from '../../projections/contribution/contribution-table.js';

const LISTED = 100;

/** Returns what a lookup shows of all reports about a farmer, computed in the plainest way. undefined if there is none. */
export function expectedItems(rows: readonly ContributionRow[], rupaId: string, at: string) {
  const own = rows.filter(({ rupa_id }) => rupa_id === rupaId);
  if (own.length === 0) return undefined;
  const of = (event: ContributionRow['event']): ContributionRow[] =>
    own
      .filter((row) => row.event === event)
      .sort((one, other) => other.occurred_at.localeCompare(one.occurred_at) || other.contribution_id - one.contribution_id);
  const outstanding = (loan: ContributionRow): number => Math.max((loan.amount_minor ?? 0) - repaid(own, loan), 0);
  const policies = of('policy_issued').filter(({ expires_at }) => expires_at === null || expires_at > at);
  return {
    loans: {
      newest: newest(of('loan_disbursed'), (loan) => ({ outstanding_minor: outstanding(loan) })),
      total_kobo: sum(inNaira(of('loan_disbursed')).map(outstanding)),
    },
    repayments: newest(of('loan_repayment'), () => ({})),
    policies: {
      newest: newest(policies, ({ expires_at }) => ({ expires_at })),
      total_kobo: sum(inNaira(policies).map(({ amount_minor }) => amount_minor ?? 0)),
    },
    harvests: newest(of('harvest_record'), ({ goods }) => ({ goods })),
    input_purchases: newest(of('input_purchase'), ({ goods }) => ({ goods })),
  };
}

function repaid(rows: readonly ContributionRow[], { partner_id, partner_reference, currency }: ContributionRow): number {
  const own = rows.filter(
    (row) =>
      row.loan_reference !== null && row.partner_id === partner_id && row.loan_reference === partner_reference && row.currency === currency,
  );
  return sum(own.map(({ amount_minor }) => amount_minor ?? 0));
}

function newest<T>(rows: readonly ContributionRow[], more: (row: ContributionRow) => T) {
  return rows.slice(0, LISTED).map((row) => {
    const { contribution_id, account_type, amount_minor, currency, occurred_at } = row;
    return { contribution_id, account_type, amount_minor, currency, occurred_at, ...more(row) };
  });
}

const inNaira = (rows: readonly ContributionRow[]): ContributionRow[] => rows.filter(({ currency }) => currency === 'NGN');
const sum = (amounts: readonly number[]): number => amounts.reduce((total, amount) => total + amount, 0);
