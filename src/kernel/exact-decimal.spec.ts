import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ceilProduct } from './exact-decimal.js';

describe('the rounded-up product of a count and a decimal factor', () => {
  it.each([
    [25, 0.28, 7],
    [100, 1.1, 110],
    [3, 0.1, 1],
    [0, 0.5, 0],
    [10_000_000, 1e-7, 1],
    [2, 1e21, 2e21],
  ])('%d × %d is %d', (count, factor, expected) => {
    expect(ceilProduct(count, factor)).toBe(expected);
  });

  it('is the quotient of integers, rounded up, for every factor with up to four decimals', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(100_000), (count, tenThousandths) => {
        const exact = (BigInt(count) * BigInt(tenThousandths) + 9_999n) / 10_000n;
        expect(ceilProduct(count, tenThousandths / 10_000)).toBe(Number(exact));
      }),
    );
  });

  it('is refused for a factor that is not a finite number of 0 or more', () => {
    for (const factor of [-1, NaN, Infinity]) expect(() => ceilProduct(1, factor)).toThrow(RangeError);
  });
});
