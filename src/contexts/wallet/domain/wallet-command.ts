import { CREDIT_KINDS, type CreditKind } from './events.js';
import {
  assertInBounds,
  type Bound,
  id,
  integer,
  kobo,
  nullable,
  oneOf,
  outOfBounds,
  refuse,
  requiredText,
  rupaId,
  text,
} from '../../../kernel/bounds.js';

interface CommandBase {
  readonly partner_id: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

export type WalletCommand = CommandBase &
  (
    | {
        readonly kind: 'credit';
        readonly amount_kobo: number;
        /** The idempotency key: a second credit with it adds nothing. */
        readonly reference: string;
        /** Default: `payment`. */
        readonly credit_kind?: CreditKind;
        /** Required unless the partner paid. */
        readonly reason?: string | null;
        /** The last revision of the stream in which the caller searched for the reference. */
        readonly checked_to_revision: bigint;
      }
    | {
        readonly kind: 'charge';
        readonly lookup_id: string;
        readonly rupa_id: string;
        readonly source: string;
        readonly breakdown_kobo: Readonly<Record<string, number>>;
        readonly price_book_version: number;
        readonly key_id: string;
        readonly grants_consent: boolean;
      }
    | { readonly kind: 'settle'; readonly lookup_ids: readonly string[] }
    | { readonly kind: 'refund'; readonly lookup_ids: readonly string[]; readonly reason: string }
    | {
        readonly kind: 'reverse';
        readonly credit_reference: string;
        /** Integer kobo; null for what is left of the credit. */
        readonly amount_kobo: number | null;
        /** The idempotency key, which credits and reversals share. */
        readonly reference: string;
        readonly reason: string;
        readonly found: FoundCredit;
        readonly checked_to_revision: bigint;
      }
    | {
        readonly kind: 'compensate';
        readonly lookup_id: string;
        readonly reason: string;
        readonly found: FoundCharge;
        readonly checked_to_revision: bigint;
      }
  );

/** The caller searches the entries up to `checked_to_revision` for the credit, and passes its findings to the decider. */
export interface FoundCredit {
  readonly credit?: { readonly amount_kobo: number; readonly kind: CreditKind };
  /** Integer kobo; the sum of the credit's reversals. */
  readonly reversed_kobo: number;
  /** The reversal that has the command's reference. */
  readonly reversal?: { readonly credit_reference: string; readonly amount_kobo: number };
  /** Whether the command's reference belongs to a credit. */
  readonly isCreditReference: boolean;
}

/** The caller searches the entries up to `checked_to_revision` for the lookup, and passes its findings to the decider. */
export interface FoundCharge {
  readonly debit_revision: number;
  readonly rupa_id: string;
  readonly amount_kobo: number;
  readonly breakdown_kobo: Readonly<Record<string, number>>;
  readonly given_back?: 'refunded' | 'compensated';
}

export type ChargeCommand = Extract<WalletCommand, { kind: 'charge' }>;

type Credit = Pick<Extract<WalletCommand, { kind: 'credit' }>, 'amount_kobo' | 'credit_kind' | 'reference' | 'reason'>;
type Reversal = Pick<Extract<WalletCommand, { kind: 'reverse' }>, 'amount_kobo' | 'credit_reference' | 'reference' | 'reason'>;

const CREDIT: Readonly<Record<string, Bound>> = { amount: kobo(1), reference: requiredText(), kind: oneOf(CREDIT_KINDS) };
const REVERSAL: Readonly<Record<string, Bound>> = {
  amount: nullable(kobo(1)),
  credit_reference: requiredText(),
  reference: requiredText(),
  reason: requiredText(),
};
const COMPENSATION: Readonly<Record<string, Bound>> = { lookup_id: id, reason: requiredText() };
const CHARGE: Readonly<Record<string, Bound>> = {
  lookup_id: id,
  rupa_id: rupaId,
  source: text(),
  price_book_version: integer(),
  key_id: id,
};
const REFUND: Readonly<Record<string, Bound>> = { reason: requiredText() };
const FEE = kobo(0);
const FEE_KEY = requiredText();

/** @throws ValidationFailed */
export function assertCreditInBounds({ amount_kobo: amount, credit_kind: kind = 'payment', reference, reason }: Credit): void {
  assertInBounds({ amount, reference, kind, reason }, { ...CREDIT, reason: kind === 'payment' ? nullable(text()) : requiredText() });
}

/** @throws ValidationFailed */
export function assertReversalInBounds({ amount_kobo: amount, ...reversal }: Reversal): void {
  assertInBounds({ amount, ...reversal }, REVERSAL);
}

/** @throws ValidationFailed */
export function assertCompensationInBounds(compensation: { readonly lookup_id: string; readonly reason: string }): void {
  assertInBounds(compensation, COMPENSATION);
}

/** Recorded entries are not checked: an older release may have recorded values that are out of bounds now. @throws ValidationFailed */
export function assertWalletCommandInBounds(command: WalletCommand): void {
  assertInBounds(command, { partner_id: id });
  switch (command.kind) {
    case 'credit':
      assertCreditInBounds(command);
      return;
    case 'charge':
      refuse({ ...outOfBounds(command, CHARGE), ...outOfBounds(command, { breakdown: () => breakdownProblem(command.breakdown_kobo) }) });
      return;
    case 'refund':
      assertInBounds(command, REFUND);
      return;
    case 'reverse':
      assertReversalInBounds(command);
      return;
    case 'compensate':
      assertCompensationInBounds(command);
      return;
    case 'settle':
  }
}

function breakdownProblem(fees_kobo: Readonly<Record<string, number>>): string | undefined {
  const fees = Object.entries(fees_kobo);
  const total = fees.reduce((sum, [, fee]) => sum + fee, 0);
  const isInBounds = fees.every(([key, fee]) => FEE_KEY(key) === undefined && FEE(fee) === undefined) && FEE(total) === undefined;
  return isInBounds ? undefined : 'must have amounts of at least 0 that sum to an exact amount';
}
