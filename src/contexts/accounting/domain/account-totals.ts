import { type EntryContent, entrySides } from './entry-postings.js';
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

/** The ledger entries of a day that are posted alike. */
export interface EntrySum extends EntryContent {
  /** Day in UTC, such as 2026-03-01, from whose first moment they count. */
  readonly date: string;
  /** Integer kobo of all of them. */
  readonly amount_kobo: bigint;
}

/** Returns the totals with what the ledger entries up to a day have posted, and that day's. */
export function withEntries(totals: readonly AccountTotals[], entries: readonly EntrySum[], throughDay: string): AccountTotals[] {
  const posted = entries
    .filter(({ date }) => date <= throughDay)
    .flatMap((entry) => {
      const [debited, credited] = entrySides(entry);
      return [
        { account: debited, debit_kobo: entry.amount_kobo, credit_kobo: 0n },
        { account: credited, debit_kobo: 0n, credit_kobo: entry.amount_kobo },
      ];
    });
  return totalsByAccount([...totals, ...posted]);
}

/** Returns one sum for each account, in no order. */
export function totalsByAccount(totals: readonly AccountTotals[]): AccountTotals[] {
  const byAccount = new Map<string, AccountTotals>();
  for (const { account, debit_kobo, credit_kobo } of totals) {
    const before = byAccount.get(account);
    byAccount.set(account, {
      account,
      debit_kobo: (before?.debit_kobo ?? 0n) + debit_kobo,
      credit_kobo: (before?.credit_kobo ?? 0n) + credit_kobo,
    });
  }
  return [...byAccount.values()];
}

/** Balances and gross movements in integer kobo. A balance is debits less credits. */
export interface Movements {
  readonly opening_kobo: bigint;
  readonly debit_kobo: bigint;
  readonly credit_kobo: bigint;
  readonly closing_kobo: bigint;
}

export interface AccountMovement extends Movements {
  readonly account: string;
}

/**
 * Returns what moved between two moments, by account in the order of their names.
 * @param before the totals up to the first moment
 * @param through the totals up to the second moment
 */
export function movementsOf(before: readonly AccountTotals[], through: readonly AccountTotals[]): AccountMovement[] {
  const earlier = new Map(before.map((each) => [each.account, each]));
  return through
    .map(({ account, debit_kobo, credit_kobo }) => {
      const { debit_kobo: debited, credit_kobo: credited } = earlier.get(account) ?? { debit_kobo: 0n, credit_kobo: 0n };
      return {
        account,
        opening_kobo: debited - credited,
        debit_kobo: debit_kobo - debited,
        credit_kobo: credit_kobo - credited,
        closing_kobo: debit_kobo - credit_kobo,
      };
    })
    .filter(({ opening_kobo, debit_kobo, credit_kobo }) => opening_kobo !== 0n || debit_kobo !== 0n || credit_kobo !== 0n)
    .toSorted((one, other) => (one.account < other.account ? -1 : 1));
}

export function sumOf(movements: readonly Movements[]): Movements {
  const sum = (amount: (each: Movements) => bigint): bigint => movements.reduce((total, each) => total + amount(each), 0n);
  return {
    opening_kobo: sum(({ opening_kobo }) => opening_kobo),
    debit_kobo: sum(({ debit_kobo }) => debit_kobo),
    credit_kobo: sum(({ credit_kobo }) => credit_kobo),
    closing_kobo: sum(({ closing_kobo }) => closing_kobo),
  };
}
