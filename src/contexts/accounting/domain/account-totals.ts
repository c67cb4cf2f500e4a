import { type Movement, postingsOf } from './postings.js';

/** The gross totals of an account in integer kobo. They are bigints, because a sum over all wallets may exceed the safe integers. */
export interface AccountTotals {
  readonly account: string;
  readonly debit_kobo: bigint;
  readonly credit_kobo: bigint;
}

/** A movement that several entries have in common. */
export interface RepeatedMovement extends Movement {
  readonly times: number;
}

/** Returns the totals without the postings of the movements, and without the accounts that are then untouched. */
export function lessMovements(totals: readonly AccountTotals[], movements: readonly RepeatedMovement[]): AccountTotals[] {
  const byAccount = new Map(totals.map((each) => [each.account, each]));
  for (const movement of movements) {
    for (const { account, debit_kobo, credit_kobo } of postingsOf(movement)) {
      const before = byAccount.get(account) ?? { account, debit_kobo: 0n, credit_kobo: 0n };
      byAccount.set(account, {
        account,
        debit_kobo: before.debit_kobo - BigInt(debit_kobo) * BigInt(movement.times),
        credit_kobo: before.credit_kobo - BigInt(credit_kobo) * BigInt(movement.times),
      });
    }
  }
  return [...byAccount.values()].filter(({ debit_kobo, credit_kobo }) => debit_kobo !== 0n || credit_kobo !== 0n);
}
