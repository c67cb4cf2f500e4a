import {
  assertInBounds,
  type Bound,
  id,
  integer,
  kobo,
  nullable,
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
        /** The reason of the credit, such as `goodwill`. */
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
  );

export type ChargeCommand = Extract<WalletCommand, { kind: 'charge' }>;

type Credit = Pick<Extract<WalletCommand, { kind: 'credit' }>, 'amount_kobo' | 'reference' | 'reason'>;

const CREDIT: Readonly<Record<string, Bound>> = { amount: kobo(1), reference: requiredText(), reason: nullable(text()) };
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
export function assertCreditInBounds({ amount_kobo: amount, reference, reason }: Credit): void {
  assertInBounds({ amount, reference, reason }, CREDIT);
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
    case 'settle':
  }
}

function breakdownProblem(fees_kobo: Readonly<Record<string, number>>): string | undefined {
  const fees = Object.entries(fees_kobo);
  const total = fees.reduce((sum, [, fee]) => sum + fee, 0);
  const isInBounds = fees.every(([key, fee]) => FEE_KEY(key) === undefined && FEE(fee) === undefined) && FEE(total) === undefined;
  return isInBounds ? undefined : 'must have amounts of at least 0 that sum to an exact amount';
}
