import { sumInNaira } from '../../../kernel/money.js';
import { type TrialBalance } from './get-trial-balance.query.js';
import { type TrialBalanceView } from './ledger.dto.js';

export function trialBalanceView({
  accounts,
  total_debit_kobo,
  total_credit_kobo,
  difference_kobo,
  ...rest
}: TrialBalance): TrialBalanceView {
  return {
    ...rest,
    accounts: accounts.map(({ account, debit_kobo, credit_kobo }) => ({
      account,
      debit: sumInNaira(debit_kobo),
      credit: sumInNaira(credit_kobo),
      balance: sumInNaira(debit_kobo - credit_kobo),
    })),
    total_debit: sumInNaira(total_debit_kobo),
    total_credit: sumInNaira(total_credit_kobo),
    difference: sumInNaira(difference_kobo),
    balanced: difference_kobo === 0n,
  };
}
