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
