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

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Returns whether two decimal texts, such as `1.50` and `15e-1`, denote the same number. Other texts denote none. */
export function isSameDecimal(one: string, other: string): boolean {
  const [first, second] = [canonical(one), canonical(other)];
  return first !== undefined && first === second;
}

/** Returns the sign, the digits without leading and trailing zeros, and the power of ten of the last of them. */
function canonical(text: string): string | undefined {
  const [, sign = '', whole, fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const all = (whole + fraction).replace(/^0+/, '');
  if (all === '') return '0';
  const digits = all.replace(/0+$/, '');
  return `${sign}${digits}e${Number(exponent) - fraction.length + all.length - digits.length}`;
}
