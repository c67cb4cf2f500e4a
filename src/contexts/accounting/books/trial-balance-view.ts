import { csv } from '../../../kernel/csv.js';
import { sumInNaira } from '../../../kernel/money.js';
import { kindOf } from '../domain/chart-of-accounts.js';
import { type TrialBalance } from './get-trial-balance.query.js';
import { type TrialBalanceView } from './ledger.dto.js';

/** Spreadsheets take a file for UTF-8 that begins with it. */
const BYTE_ORDER_MARK = '\uFEFF';

export function trialBalanceView({ accounts, total, ...rest }: TrialBalance): TrialBalanceView {
  return {
    ...rest,
    accounts: accounts.map(({ account, opening_kobo, debit_kobo, credit_kobo, closing_kobo }) => ({
      account,
      kind: kindOf(account),
      opening: sumInNaira(opening_kobo),
      debit: sumInNaira(debit_kobo),
      credit: sumInNaira(credit_kobo),
      closing: sumInNaira(closing_kobo),
      balance: sumInNaira(closing_kobo),
    })),
    total_opening: sumInNaira(total.opening_kobo),
    total_debit: sumInNaira(total.debit_kobo),
    total_credit: sumInNaira(total.credit_kobo),
    total_closing: sumInNaira(total.closing_kobo),
    difference: sumInNaira(total.closing_kobo),
    balanced: isBalanced({ total }),
  };
}

export function isBalanced({ total }: Pick<TrialBalance, 'total'>): boolean {
  return total.opening_kobo === 0n && total.closing_kobo === 0n;
}

/** Returns the accounts as CSV, without the totals (finance, "Reports"). */
export function trialBalanceCsv({ accounts }: TrialBalance): string {
  const rows = accounts.map(({ account, opening_kobo, debit_kobo, credit_kobo, closing_kobo }) => [
    account,
    kindOf(account),
    ...[opening_kobo, debit_kobo, credit_kobo, closing_kobo].map((kobo) => ({ kobo })),
  ]);
  return `${BYTE_ORDER_MARK}${csv([['account', 'kind', 'opening', 'debit', 'credit', 'closing'], ...rows])}`;
}
