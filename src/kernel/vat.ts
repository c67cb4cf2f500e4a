import { parseNaira } from './money.js';

/** The largest rate of VAT, in percent. */
export const MAX_VAT_PERCENT = 100;
/** The rest of a sentence about a value that {@link isVatPercent} refuses. */
export const VAT_PERCENT_PROBLEM = `must be a number from 0 to ${MAX_VAT_PERCENT} with at most two decimals`;
/** 100 percent, in hundredths of a percent. */
const WHOLE = 10_000n;

/** Returns whether the value is a rate of VAT: a number of percent from 0 to 100 with at most two decimals (finance, "VAT"). */
export function isVatPercent(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_VAT_PERCENT && parseNaira(String(value)) !== undefined;
}

/** Returns the rate that an event or a row has, in percent. Those that have none were recorded before the field existed, or without VAT. */
export function vatPercentOf({ vat_percent }: { readonly vat_percent?: number | null }): number {
  return vat_percent ?? 0;
}

/** Returns the rate as a field of an event, which has none for 0. Events without VAT are therefore those of earlier releases. */
export function recordedVat(vat_percent: number): { readonly vat_percent?: number } {
  return vat_percent > 0 ? { vat_percent } : {};
}

/**
 * Returns the VAT that a fee contains, in integer kobo: fee × rate / (100 + rate), rounded half up (finance, "VAT"). It is calculated in
 * integers of any size, with the rate in hundredths of a percent, so that no program that follows the rule comes to another kobo.
 * @param fee_kobo integer kobo, at least 0
 */
export function vatIn(fee_kobo: number, vat_percent: number): number {
  if (vat_percent === 0) return 0;
  const rate = BigInt(parseNaira(String(vat_percent)) ?? 0);
  const divisor = WHOLE + rate;
  return Number((2n * BigInt(fee_kobo) * rate + divisor) / (2n * divisor));
}
