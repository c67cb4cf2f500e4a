/** A fee is either the service's own, for a section of the record, or a provider's price that is passed through to the partner. */
export type Fee = { readonly kind: 'section'; readonly section: string } | { readonly kind: 'pass_through'; readonly provider: string };

const SECTION = 'svc_fee.';
const PASS_THROUGH = 'passthrough.';

/** Parses a key of a charge's breakdown, such as `svc_fee.identity`. A key without a known prefix counts as a fee of the service. */
export function feeOf(key: string): Fee {
  if (key.startsWith(PASS_THROUGH)) return { kind: 'pass_through', provider: key.slice(PASS_THROUGH.length) };
  return { kind: 'section', section: key.startsWith(SECTION) ? key.slice(SECTION.length) : key };
}

/**
 * Fees by the number that stands for them in stored debits. Debits for ever refer to these numbers: append new fees at the end, and neither
 * remove nor reorder any. A debit with a fee that is not in the list is stored in full.
 */
export const NUMBERED_FEES = [
  'svc_fee.identity',
  'svc_fee.bvn_nin_data',
  'passthrough.bvn',
  'passthrough.nin',
  'svc_fee.credit_history',
  'passthrough.credit_bureau',
  'svc_fee.outstanding_loans',
  'svc_fee.transaction_volume',
  'svc_fee.farms',
  'svc_fee.underwriting_value',
  'svc_fee.wallet',
  'svc_fee.socioeconomic_profile',
] as const;

/** The providers whose prices are passed through, such as `bvn`. */
export const PROVIDERS: readonly string[] = NUMBERED_FEES.flatMap((key) => {
  const fee = feeOf(key);
  return fee.kind === 'pass_through' ? [fee.provider] : [];
});

const NUMBERS: ReadonlyMap<string, number> = new Map(NUMBERED_FEES.map((fee, number) => [fee, number]));

/** Returns the number and the amount of each fee in turn, in the order of the breakdown; undefined if a fee has no number. */
export function numberedFees(breakdown: unknown): readonly number[] | undefined {
  if (typeof breakdown !== 'object' || breakdown === null) return undefined;
  const fees: number[] = [];
  for (const fee of Object.keys(breakdown)) {
    const number = NUMBERS.get(fee);
    const amount = (breakdown as Readonly<Record<string, unknown>>)[fee];
    if (number === undefined || typeof amount !== 'number') return undefined;
    fees.push(number, amount);
  }
  return fees;
}

/** Returns the breakdown that {@link numberedFees} was given; undefined for anything that it does not return. */
export function namedFees(fees: unknown): Record<string, number> | undefined {
  if (!Array.isArray(fees)) return undefined;
  const breakdown: Record<string, number> = {};
  for (let index = 0; index < fees.length; index += 2) {
    const fee = NUMBERED_FEES[Number(fees[index])];
    if (fee === undefined) return undefined;
    breakdown[fee] = fees[index + 1] as number;
  }
  return breakdown;
}
