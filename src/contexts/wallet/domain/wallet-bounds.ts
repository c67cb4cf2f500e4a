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
import { type WalletCommand } from './wallet.js';

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
