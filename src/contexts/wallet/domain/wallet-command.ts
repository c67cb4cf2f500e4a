import { Rejection } from '../../../platform/event-sourcing/decider.js';
import { type Approval } from '../../approvals/domain/events.js';
import { type CreditKind, type Deductions } from './events.js';
import { type SettledKeys } from './settled-keys.js';

/** Callers match on these codes, so they must not change. */
export type WalletRejectionCode =
  | 'insufficient_balance'
  | 'reference_reused'
  | 'credit_history_moved'
  | 'balance_limit'
  | 'key_history_moved'
  | 'key_in_use'
  | 'response_lost'
  | 'price_changed'
  | 'credit_not_reversible'
  | 'payout_too_high'
  | 'lookup_unknown'
  | 'charge_open'
  | 'charge_refunded';
export class WalletRejection extends Rejection<WalletRejectionCode> {}

export interface LookupToCharge {
  /** Ids of lookups with an Idempotency-Key all belong to that key. */
  readonly lookup_id: string;
  readonly rupa_id: string;
  /** Integer kobo by fee. */
  readonly breakdown_kobo: Readonly<Record<string, number>>;
  readonly grants_consent: boolean;
}

interface CommandBase {
  readonly partner_id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
  /** The approval that the command executes. */
  readonly approval?: Approval | undefined;
}

/** The entries of a wallet in which the caller of a command has searched for what the command names. */
export interface SearchedEntries {
  /** The last revision of them. */
  readonly checked_to_revision: bigint;
  /** The hash of the manual entries among them (crediting/manual-entries.ts). */
  readonly manual_entries_hash: string;
}

export type WalletCommand = CommandBase &
  (
    | (SearchedEntries & {
        readonly kind: 'credit';
        readonly amount_kobo: number;
        /** The idempotency key: a second credit with it adds nothing. */
        readonly reference: string;
        /** Default: `payment`. */
        readonly credit_kind?: CreditKind;
        /** The parts of a payment that were deducted, together below the amount; default: none. */
        readonly deductions?: Deductions;
        /** Required unless the partner paid. */
        readonly reason?: string | null;
      })
    | {
        readonly kind: 'charge';
        /** The lookups of a call in the order asked, at least one. They are charged together or not at all, unless `allow_partial` is set. */
        readonly lookups: readonly LookupToCharge[];
        /** Charges the first lookups, as far as the balance goes. Default: false. */
        readonly allow_partial?: boolean;
        readonly source: string;
        readonly price_book_version: number;
        /** Rate of the VAT that the fees contain by the price book, in percent. Default: 0. */
        readonly vat_percent?: number;
        /** From when on another price book is in force. ISO 8601, UTC. */
        readonly price_until?: string | undefined;
        readonly key_id: string;
        /** Ids that the lookups' Idempotency-Key has had under other master keys. */
        readonly former_ids?: readonly string[] | undefined;
        /** The caller reads the Idempotency-Keys that were used before the state's first entry, because the state does not hold them. */
        readonly earlier_keys?: SearchedKeys | undefined;
      }
    | { readonly kind: 'settle'; readonly lookup_ids: readonly string[] }
    | { readonly kind: 'refund'; readonly lookup_ids: readonly string[]; readonly reason: string }
    | (SearchedEntries & {
        readonly kind: 'reverse';
        readonly credit_reference: string;
        /** Integer kobo; null for what is left of the credit. */
        readonly amount_kobo: number | null;
        /** The idempotency key, which credits, reversals and payouts share. */
        readonly reference: string;
        readonly reason: string;
        readonly found: FoundCredit;
      })
    | (SearchedEntries & {
        readonly kind: 'pay_out';
        readonly amount_kobo: number;
        /** The idempotency key, which credits, reversals and payouts share. */
        readonly reference: string;
        readonly reason: string;
      })
    | (SearchedEntries & {
        readonly kind: 'compensate';
        readonly lookup_id: string;
        readonly reason: string;
        readonly found: FoundCharge;
      })
  );

/** The caller searches the entries up to `checked_to_revision` for the credit, and passes its findings to the decider. */
export interface FoundCredit {
  readonly credit?: { readonly amount_kobo: number; readonly kind: CreditKind; readonly deductions: Deductions };
  /** Integer kobo; the sum of the credit's reversals. */
  readonly reversed_kobo: number;
  /** The reversal that has the command's reference. */
  readonly reversal?: { readonly credit_reference: string; readonly amount_kobo: number };
  /** Whether the command's reference belongs to a credit or a payout. */
  readonly isOtherReference: boolean;
}

/** The caller searches the entries up to `checked_to_revision` for the lookup, and passes its findings to the decider. */
export interface FoundCharge {
  readonly debit_revision: number;
  readonly rupa_id: string;
  readonly amount_kobo: number;
  readonly breakdown_kobo: Readonly<Record<string, number>>;
  /** Rate of the VAT that the fees contain, in percent. */
  readonly vat_percent: number;
  readonly given_back?: 'refunded' | 'compensated' | undefined;
}

/** The Idempotency-Keys of charges that were settled by entries before a revision. */
export interface SearchedKeys {
  readonly before: bigint;
  readonly keys: SettledKeys;
}

export type ChargeCommand = Extract<WalletCommand, { kind: 'charge' }>;
