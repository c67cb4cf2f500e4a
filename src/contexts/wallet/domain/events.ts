import { type Approved } from '../../approvals/domain/events.js';

/** Fields of every wallet event. They let a writer restore the state from the last few events of a long stream (docs/adr/0002). */
interface Entry {
  readonly partner_id: string;
  /** ISO 8601, UTC; never earlier than that of the previous entry. */
  readonly recorded_at: string;
  readonly actor: string;
  /** Balance after this entry, in integer kobo. */
  readonly balance_after_kobo: number;
  /** Revision of the oldest charge that was open before this entry; null if none was. */
  readonly open_from_revision: number | null;
}

/** Identifies a charge by its lookup and the revision of its debit. */
export interface ChargeReference {
  readonly lookup_id: string;
  readonly debit_revision: number;
}

/** Why money was added: the partner paid, the service gave it away, or it corrects an error. Only a payment is cash (docs/accounting.md). */
export const CREDIT_KINDS = ['payment', 'goodwill', 'correction'] as const;
export const DEFAULT_CREDIT_KIND = 'payment';
export type CreditKind = (typeof CREDIT_KINDS)[number];
/** Kinds of entries that are no charge: the kind of a credit, or of the credit that a reversal takes back, or a payout. */
export const MONEY_KINDS = [...CREDIT_KINDS, 'payout'] as const;
export type MoneyKind = (typeof MONEY_KINDS)[number];

/** The parts of a payment that did not reach the service's bank account (finance, "Money in and out"). Absent: 0. */
interface Deducted {
  /** Integer kobo that the bank kept. */
  readonly bank_fee_kobo?: number;
  /** Integer kobo that the partner withheld as tax. */
  readonly withheld_tax_kobo?: number;
}
export type Deductions = Required<Deducted>;

/** Fields of the entries that an administrator makes. */
interface Manual {
  /**
   * The hash of the wallet's earlier such entries, by which a search of the read model proves that it has found all of them (docs/adr/0069).
   * Entries recorded before the field existed do not have it.
   */
  readonly manual_entries_hash?: string;
}

/** The rate of the VAT that the fees of a charge contain, in percent: that of its price book (finance, "VAT"). Absent: 0. */
interface Taxed {
  readonly vat_percent?: number;
}

export type WalletCredited = {
  readonly type: 'WalletCredited';
  readonly data: Entry &
    Approved &
    Manual &
    Deducted & {
      readonly amount_kobo: number;
      readonly reference: string;
      /** Credits recorded before the field existed do not have it; {@link creditKindOf} counts them as payments. */
      readonly kind?: CreditKind;
      /** The reason that the administrator gave. Credits recorded before the field existed do not have it. */
      readonly reason?: string | null;
    };
};

export type WalletDebited = {
  readonly type: 'WalletDebited';
  readonly data: Entry &
    Taxed & {
      readonly lookup_id: string;
      readonly rupa_id: string;
      readonly source: string;
      readonly amount_kobo: number;
      /** Integer kobo by fee key; the fees sum to `amount_kobo`. */
      readonly breakdown_kobo: Readonly<Record<string, number>>;
      readonly price_book_version: number;
      /** Only in debits of earlier releases; {@link keyIdOf} reads it from the actor of others. */
      readonly key_id?: string;
    };
};

type ConsentGranted = {
  readonly type: 'ConsentGranted';
  readonly data: Entry & { readonly lookup_id: string; readonly rupa_id: string; readonly source: string };
};

export type ChargesSettled = {
  readonly type: 'ChargesSettled';
  readonly data: Entry & { readonly charges: readonly ChargeReference[] };
};

type RefundIssued = {
  readonly type: 'RefundIssued';
  readonly data: Entry &
    ChargeReference &
    Taxed & {
      readonly rupa_id: string;
      readonly amount_kobo: number;
      /** The fees of the debit. Refunds recorded before the field existed do not have it. */
      readonly breakdown_kobo?: Readonly<Record<string, number>>;
      readonly reason: string;
    };
};

/** An administrator takes back a credit, or a part of it, and with it these parts of what was deducted from the payment. */
export type CreditReversed = {
  readonly type: 'CreditReversed';
  readonly data: Entry &
    Approved &
    Manual &
    Deducted & {
      readonly amount_kobo: number;
      readonly credit_reference: string;
      /** Kind of the reversed credit, which decides the account that the reversal is posted to. */
      readonly kind: CreditKind;
      readonly reference: string;
      readonly reason: string;
    };
};

/** The service pays a partner's money out to its bank account (finance, "Money in and out"). */
export type WalletPaidOut = {
  readonly type: 'WalletPaidOut';
  readonly data: Entry & Approved & Manual & { readonly amount_kobo: number; readonly reference: string; readonly reason: string };
};

/** An administrator gives back the whole charge of a settled lookup. */
export type LookupCompensated = {
  readonly type: 'LookupCompensated';
  readonly data: Entry &
    Approved &
    Manual &
    ChargeReference &
    Taxed & {
      readonly rupa_id: string;
      readonly amount_kobo: number;
      readonly breakdown_kobo: Readonly<Record<string, number>>;
      readonly reason: string;
    };
};

export type WalletEvent =
  WalletCredited | CreditReversed | WalletPaidOut | WalletDebited | ConsentGranted | ChargesSettled | RefundIssued | LookupCompensated;

const TYPES: { readonly [Type in WalletEvent['type']]: true } = {
  WalletCredited: true,
  CreditReversed: true,
  WalletPaidOut: true,
  WalletDebited: true,
  ConsentGranted: true,
  ChargesSettled: true,
  RefundIssued: true,
  LookupCompensated: true,
};

export const WALLET_EVENT_TYPES = Object.keys(TYPES) as readonly WalletEvent['type'][];

export function creditKindOf({ kind = 'payment' }: Pick<WalletCredited['data'], 'kind'>): CreditKind {
  return kind;
}

/** Returns the deductions of an event, or of an entry's row, where null stands for none. */
export function deductionsOf({
  bank_fee_kobo,
  withheld_tax_kobo,
}: { readonly [Name in keyof Deducted]: Deducted[Name] | null }): Deductions {
  return { bank_fee_kobo: bank_fee_kobo ?? 0, withheld_tax_kobo: withheld_tax_kobo ?? 0 };
}

/** Returns the id of the API key that a lookup was made with. */
export function keyIdOf({ key_id, actor }: Pick<WalletDebited['data'], 'key_id' | 'actor'>): string {
  return key_id ?? actor.slice('key:'.length);
}

/** Returns the name of the stream that holds a partner's credits, charges, settlements, refunds and granted consents. */
export function walletStreamOf(partnerId: string): string {
  return `wallet-${partnerId}`;
}
