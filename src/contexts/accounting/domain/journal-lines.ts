import { type MoneyKind, type WalletEvent } from '../../wallet/domain/events.js';
import { type AccountTotals, type EntrySum } from './account-totals.js';
import { entrySides } from './entry-postings.js';
import { type EntryKind, type LedgerEntryPosted } from './events.js';
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
const WITH_REASON: { readonly [Type in WalletEvent['type']]: boolean } = {
  WalletCredited: true,
  WalletPaidOut: true,
  CreditReversed: true,
  WalletDebited: false,
  RefundIssued: false,
  LookupCompensated: true,
  ConsentGranted: false,
  ChargesSettled: false,
};

/** Returns the narration of a wallet's entry: a fixed sentence, with the reason that a person gave. */
export function narrationOf(type: WalletEvent['type'], kind: MoneyKind | null, reason: string | null): string {
  const sentence = NARRATIONS[type] ?? (kind === null ? type : MONEY_NARRATIONS[kind]);
  return WITH_REASON[type] && reason !== null ? `${sentence}: ${reason}` : sentence;
}

const ENTRY_NARRATIONS: { readonly [Kind in EntryKind]: string } = {
  passthrough_settlement: 'Provider settled',
  vat_remittance: 'VAT remitted',
  wht_certificate: 'Certificate of withheld tax received',
  bank_charge: 'Bank charge',
  bank_interest: 'Bank interest',
  opening_balance: 'Opening balance',
  reversal: 'Entry reversed',
};

/** Returns the narration of an entry outside of wallets. */
export function entryNarration({ kind, reason }: Pick<LedgerEntryPosted['data'], 'kind' | 'reason'>): string {
  return `${ENTRY_NARRATIONS[kind]}: ${reason}`;
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

/** Yields the entries of two lists in the order of a journal, which each of them has. */
export async function* merged(one: AsyncIterable<JournalEntry>, other: AsyncIterable<JournalEntry>): AsyncIterable<JournalEntry> {
  const [first, second] = [one[Symbol.asyncIterator](), other[Symbol.asyncIterator]()];
  let [left, right] = [await first.next(), await second.next()];
  while (!left.done || !right.done) {
    if (!left.done && (right.done || isBefore(left.value, right.value))) {
      yield left.value;
      left = await first.next();
    } else if (!right.done) {
      yield right.value;
      right = await second.next();
    }
  }
}

function isBefore(one: JournalEntry, other: JournalEntry): boolean {
  return one.date === other.date ? one.position < other.position : one.date < other.date;
}

/** Returns what sums of entries outside of wallets add to their accounts' days. */
export function daysOfEntries(sums: readonly EntrySum[]): AccountDay[] {
  return sums.flatMap(({ date: day, amount_kobo, ...content }) => {
    const [debited, credited] = entrySides(content);
    return [
      { day, account: debited, debit_kobo: amount_kobo, credit_kobo: 0n },
      { day, account: credited, debit_kobo: 0n, credit_kobo: amount_kobo },
    ];
  });
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
