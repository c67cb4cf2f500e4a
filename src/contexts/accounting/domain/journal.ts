import { type MoneyKind, type WalletEvent } from '../../wallet/domain/events.js';
import { type AccountTotals } from './account-totals.js';
import { type Posting } from './postings.js';

/** Rows for each entry, or for each day's net movement of an account. */
export const JOURNAL_GROUPS = ['entry', 'day'] as const;
export type JournalGroup = (typeof JOURNAL_GROUPS)[number];

/** An entry of the books, to be written to a journal. */
export interface JournalEntry {
  /** Day in UTC, such as 2026-03-01. */
  readonly date: string;
  /** Position of the event in $all. */
  readonly position: bigint;
  readonly postings: readonly Posting[];
  /** Id of the partner; null for an entry outside of wallets. */
  readonly partner: string | null;
  readonly reference: string | null;
  readonly narration: string;
}

/** A row of a journal: an account of an entry (finance, "Reports"). */
export interface JournalLine {
  readonly date: string;
  /** Index of the event in the log, null if it is not known; or the day. */
  readonly entry: number | string | null;
  readonly account: string;
  /** Integer kobo. */
  readonly debit_kobo: bigint;
  /** Integer kobo. */
  readonly credit_kobo: bigint;
  readonly partner: string | null;
  readonly reference: string | null;
  readonly narration: string | null;
}

/** Sentences that name no farmer, because an erasure does not reach a file that was handed out. */
const MONEY_NARRATIONS: { readonly [Kind in MoneyKind]: string } = {
  payment: 'Payment received',
  goodwill: 'Goodwill credited',
  correction: 'Correction credited',
  payout: 'Balance paid out',
};
const NARRATIONS: { readonly [Type in WalletEvent['type']]: string | null } = {
  WalletCredited: null,
  WalletPaidOut: null,
  CreditReversed: 'Credit reversed',
  WalletDebited: 'Lookup charged',
  RefundIssued: 'Lookup refunded',
  LookupCompensated: 'Lookup compensated',
  ConsentGranted: null,
  ChargesSettled: null,
};
/** Entries for which a person gave a reason. The reason of a refund is that of a program. */
const WITH_REASON: ReadonlySet<WalletEvent['type']> = new Set(['WalletCredited', 'WalletPaidOut', 'CreditReversed', 'LookupCompensated']);

/** Returns the narration of a wallet's entry: a fixed sentence, with the reason that a person gave. */
export function narrationOf(type: WalletEvent['type'], kind: MoneyKind | null, reason: string | null): string {
  const sentence = NARRATIONS[type] ?? (kind === null ? type : MONEY_NARRATIONS[kind]);
  return WITH_REASON.has(type) && reason !== null ? `${sentence}: ${reason}` : sentence;
}

/** Returns the rows of an entry, one for each account in the order of its postings. @param index of its event in the log */
export function linesOf({ date, postings, partner, reference, narration }: JournalEntry, index: number | null): JournalLine[] {
  const about = { date, entry: index, partner, reference, narration };
  return [...Map.groupBy(postings, ({ account }) => account)].map(([account, posted]) => ({
    ...about,
    account,
    debit_kobo: sum(posted.map(({ debit_kobo }) => debit_kobo)),
    credit_kobo: sum(posted.map(({ credit_kobo }) => credit_kobo)),
  }));
}

/** The totals of an account on a day. */
export interface AccountDay extends AccountTotals {
  readonly day: string;
}

/**
 * Returns a row for each account that moved on a day, in the order of days and accounts. It has the day's net movement, because accounting
 * programs refuse a row with a debit and a credit.
 */
export function linesByDay(days: readonly AccountDay[]): JournalLine[] {
  return [...Map.groupBy(days, ({ day, account }) => `${day} ${account}`)]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([, [first, ...rest]]) => {
      if (!first) return [];
      const net = [first, ...rest].reduce((total, { debit_kobo, credit_kobo }) => total + debit_kobo - credit_kobo, 0n);
      const { day, account } = first;
      const about = { date: day, entry: day, account, partner: null, reference: null, narration: null };
      return net === 0n ? [] : [{ ...about, debit_kobo: net > 0n ? net : 0n, credit_kobo: net < 0n ? -net : 0n }];
    });
}

function sum(amounts: readonly number[]): bigint {
  return amounts.reduce((total, kobo) => total + BigInt(kobo), 0n);
}
