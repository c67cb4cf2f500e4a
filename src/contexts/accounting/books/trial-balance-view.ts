import { sumInNaira } from '../../../kernel/money.js';
import { type AccountMovement } from '../domain/account-totals.js';
import { kindOf } from '../domain/chart-of-accounts.js';
import { type TrialBalance } from './get-trial-balance.query.js';
import { type AccountView, type TrialBalanceView } from './ledger.dto.js';
import { ReportColumns } from './report-formats.js';

export function trialBalanceView({ accounts, total, ...rest }: TrialBalance): TrialBalanceView {
  return {
    ...rest,
    accounts: accounts.map((each) => ({ ...TRIAL_BALANCE_COLUMNS.view(each), balance: sumInNaira(each.closing_kobo) })),
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

/** The columns of the report; JSON has `balance` beside them. */
export const TRIAL_BALANCE_COLUMNS = new ReportColumns<AccountMovement, Omit<AccountView, 'balance'>>({
  account: ({ account }) => account,
  kind: ({ account }) => kindOf(account),
  opening: ({ opening_kobo: kobo }) => ({ kobo }),
  debit: ({ debit_kobo: kobo }) => ({ kobo }),
  credit: ({ credit_kobo: kobo }) => ({ kobo }),
  closing: ({ closing_kobo: kobo }) => ({ kobo }),
});
