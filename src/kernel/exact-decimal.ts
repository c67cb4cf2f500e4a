const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * Returns count × factor, rounded up, computed on the decimal digits of the factor. The product of the floating-point numbers can be
 * slightly above an integer (25 × 0.28 = 7.000000000000001), and would be rounded up to the next one.
 * @param count an integer, 0 or more
 * @param factor a finite number, 0 or more
 */
export function ceilProduct(count: number, factor: number): number {
  const [, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(String(factor)) ?? [];
  if (whole === '') throw new RangeError(`${factor} is not a finite number of 0 or more.`);
  const shift = fraction.length - Number(exponent);
  const product = BigInt(count) * BigInt(whole + fraction);
  if (shift <= 0) return Number(product * 10n ** BigInt(-shift));
  const divisor = 10n ** BigInt(shift);
  return Number((product + divisor - 1n) / divisor);
}
