import { toNaira } from '../../kernel/money.js';
import { type TrialBalance } from './get-trial-balance.query.js';
import { type TrialBalanceView } from './ledger.dto.js';

export function trialBalanceView({ at, accounts, total_debit_kobo, total_credit_kobo, difference_kobo }: TrialBalance): TrialBalanceView {
  return {
    at,
    accounts: accounts.map(({ account, debit_kobo, credit_kobo, balance_kobo }) => ({
      account,
      debit: naira(debit_kobo),
      credit: naira(credit_kobo),
      balance: naira(balance_kobo),
    })),
    total_debit: naira(total_debit_kobo),
    total_credit: naira(total_credit_kobo),
    difference: naira(difference_kobo),
    balanced: difference_kobo === 0n,
  };
}

/** Converts kobo to naira. The result is exact up to 90 trillion naira. */
function naira(kobo: bigint): number {
  return toNaira(Number(kobo));
}
