import { type Deductions } from './events.js';

export const NO_DEDUCTIONS: Deductions = { bank_fee_kobo: 0, withheld_tax_kobo: 0 };

interface Paid {
  /** Integer kobo that the partner was credited. */
  readonly amount_kobo: number;
  readonly deductions: Deductions;
}

/**
 * Returns what a reversal takes back of the payment's deductions: reversals take cash first, then the withheld tax, then the bank fee
 * (finance, "Money in and out").
 * @param before integer kobo that earlier reversals of the credit took back
 */
export function reversedDeductions({ amount_kobo, deductions }: Paid, before: number, reversed_kobo: number): Deductions {
  const { bank_fee_kobo, withheld_tax_kobo } = deductions;
  const cash_kobo = amount_kobo - bank_fee_kobo - withheld_tax_kobo;
  const taken = (from: number, part_kobo: number): number =>
    Math.max(0, Math.min(before + reversed_kobo, from + part_kobo) - Math.max(before, from));
  return {
    withheld_tax_kobo: taken(cash_kobo, withheld_tax_kobo),
    bank_fee_kobo: taken(cash_kobo + withheld_tax_kobo, bank_fee_kobo),
  };
}

/** Returns the deductions as fields of an event, which has none that are 0. */
export function recordedDeductions({ bank_fee_kobo, withheld_tax_kobo }: Deductions): Partial<Deductions> {
  return { ...(bank_fee_kobo > 0 && { bank_fee_kobo }), ...(withheld_tax_kobo > 0 && { withheld_tax_kobo }) };
}

export function haveEqualDeductions(one: Deductions, other: Deductions): boolean {
  return one.bank_fee_kobo === other.bank_fee_kobo && one.withheld_tax_kobo === other.withheld_tax_kobo;
}
