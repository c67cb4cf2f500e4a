interface Moved {
  readonly reference: string;
  /** Integer kobo that the bank's line should have: negative for money out, 0 for a credit that was reversed as a whole. */
  readonly cash_kobo: number;
  /** The day (yyyy-mm-dd, UTC) on which the movement counts. */
  readonly date: string;
}

interface OfWallet extends Moved {
  readonly partner_id: string;
  readonly company_name: string;
  /** Revision of the entry in the wallet. */
  readonly revision: number;
}

/** A credit of the kind `payment`. Its cash is the amount less bank fee and withheld tax, and less what reversals took of the cash. */
export interface PaymentMovement extends OfWallet {
  readonly kind: 'payment';
  /** Integer kobo of cash that reversals took back. */
  readonly reversed_kobo: number;
  /** Integer kobo that the bank kept, less what reversals took of it. */
  readonly bank_fee_kobo: number;
  /** Integer kobo that the partner withheld, less what reversals took of it. */
  readonly withheld_tax_kobo: number;
}

export interface PayoutMovement extends OfWallet {
  readonly kind: 'payout';
}

/** An entry of the ledger that moves cash and belongs to no wallet, such as a settlement with a provider. */
export interface EntryMovement extends Moved {
  readonly kind: 'entry';
  readonly entry_kind: string;
}

/** A movement of cash that the books have (finance, "Money in and out"). */
export type Movement = PaymentMovement | PayoutMovement | EntryMovement;

export type MovementKind = Movement['kind'];
export const MOVEMENT_KINDS = ['payment', 'payout', 'entry'] as const satisfies readonly MovementKind[];

/** Returns whether a movement is money in. A payment is, also when nothing is left of it. */
export function isMoneyIn(movement: Movement): boolean {
  return movement.kind === 'payment' || movement.cash_kobo > 0;
}

/** Reasons for which a bank's amount may differ from the cash of the movement that it is matched with. */
export const EXPLANATIONS = ['bank_fee', 'withheld_tax', 'bank_fee_and_withheld_tax', 'tolerance'] as const;
export type Explanation = (typeof EXPLANATIONS)[number];

/**
 * Returns whether a bank's amount is that of a movement: `equal`, or what explains the difference; undefined if it is another amount.
 * @param tolerance_kobo integer kobo by which the amounts may differ
 */
export function agreementOf(amount_kobo: number, movement: Movement, tolerance_kobo: number): 'equal' | Explanation | undefined {
  const more = amount_kobo - movement.cash_kobo;
  if (more === 0) return 'equal';
  if (movement.cash_kobo === 0) return undefined;
  const { bank_fee_kobo, withheld_tax_kobo } = movement.kind === 'payment' ? movement : { bank_fee_kobo: 0, withheld_tax_kobo: 0 };
  if (more === bank_fee_kobo) return 'bank_fee';
  if (more === withheld_tax_kobo) return 'withheld_tax';
  if (more === bank_fee_kobo + withheld_tax_kobo) return 'bank_fee_and_withheld_tax';
  return Math.abs(more) <= tolerance_kobo ? 'tolerance' : undefined;
}

const DAY_MS = 86_400_000;

export function daysApart(one: string, other: string): number {
  return Math.abs(Date.parse(one) - Date.parse(other)) / DAY_MS;
}

/** @param days may be negative */
export function dayAfter(date: string, days: number): string {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}
