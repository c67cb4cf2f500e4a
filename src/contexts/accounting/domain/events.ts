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

/** An event of the stream `ledger-{mode}`. Its postings follow from it alone. */
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
