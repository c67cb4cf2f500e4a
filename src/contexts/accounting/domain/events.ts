import { type Approved } from '../../approvals/domain/events.js';
import { type Mode } from '../../../kernel/accounts.js';

/** Kinds of entries for what happens outside of wallets (finance, "Money in and out"). */
export const ENTRY_KINDS = [
  'passthrough_settlement',
  'vat_remittance',
  'wht_certificate',
  'bank_charge',
  'bank_interest',
  'opening_balance',
  'reversal',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];
/** The kinds of entries that a reversal undoes. */
export type ReversibleKind = Exclude<EntryKind, 'reversal'>;

/** An entry for what happens outside of wallets. Its postings follow from it alone. */
export type LedgerEntryPosted = {
  readonly type: 'LedgerEntryPosted';
  readonly data: Approved & {
    readonly mode: Mode;
    readonly kind: EntryKind;
    /** Integer kobo above 0. */
    readonly amount_kobo: number;
    /** The provider of a settlement, or the account of an opening balance; in a reversal that of the entry that it undoes. */
    readonly account?: string;
    /** The idempotency key, unique in the mode. */
    readonly reference: string;
    /** Day in UTC, such as 2026-03-01. The entry counts from its first moment. */
    readonly date: string;
    readonly reason: string;
    /** Reference of the entry that a reversal undoes. */
    readonly of?: string;
    /** Kind of the entry that a reversal undoes. */
    readonly of_kind?: ReversibleKind;
    /** ISO 8601, UTC. */
    readonly recorded_at: string;
    readonly actor: string;
  };
};

/** Balances and movements of an account in a month: integer kobo as decimal text, because sums may exceed the exact range of numbers. */
export interface ClosedAccount {
  readonly account: string;
  /** Debits less credits before the month. */
  readonly opening_kobo: string;
  readonly debit_kobo: string;
  readonly credit_kobo: string;
  /** Debits less credits at the end of the month. */
  readonly closing_kobo: string;
}

/** The company that issues statements, as the operator states it; null for what was not stated. */
export interface Issuer {
  readonly name: string | null;
  readonly address: string | null;
  readonly tax_id: string | null;
}

/** A month of the books that never changes again (finance, "Closing a month"). */
export type PeriodClosed = {
  readonly type: 'PeriodClosed';
  readonly data: {
    readonly mode: Mode;
    /** Month in UTC, such as 2026-03. */
    readonly period: string;
    /** The accounts with a balance or a movement, by name. */
    readonly accounts: readonly ClosedAccount[];
    /** Number of the entries of the month's journal. */
    readonly entries: number;
    /** Index of the last event of the log that was read; null if it was not known. */
    readonly index: number | null;
    /** The company whose name the month's statements bear. */
    readonly issuer: Issuer;
    /** The first part of the numbers of the month's statements. */
    readonly prefix: string;
    /** ISO 8601, UTC. */
    readonly recorded_at: string;
    readonly actor: string;
  };
};

/** An event of the stream `ledger-{mode}`. */
export type LedgerEvent = LedgerEntryPosted | PeriodClosed;
