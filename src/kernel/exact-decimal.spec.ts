import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ceilProduct, isSameDecimal } from './exact-decimal.js';

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

describe('two decimal texts', () => {
  it.each([
    ['1.50', '15e-1'],
    ['100', '1E+2'],
    ['-0', '0.000e9'],
    ['00', '0'],
    ['0.0012', '12e-4'],
    ['1e21', '1000000000000000000000'],
  ])('%s and %s are the same number', (one, other) => {
    expect(isSameDecimal(one, other)).toBe(true);
  });

  it.each([
    ['80000000000000.01', '80000000000000.02'],
    ['1', '-1'],
    ['10', '1'],
    ['0.1', '0.01'],
    ['1e400', 'Infinity'],
    ['NaN', 'NaN'],
    ['', ''],
  ])('%s and %s are not the same number', (one, other) => {
    expect(isSameDecimal(one, other)).toBe(false);
  });

  it('are the same number if and only if the integers are that they denote in the same unit', () => {
    const digits = fc.stringMatching(/^\d{1,9}$/);
    fc.assert(
      fc.property(digits, digits, fc.nat(9), fc.nat(9), (one, other, shiftOne, shiftOther) => {
        const same = BigInt(one) * 10n ** BigInt(shiftOne) === BigInt(other) * 10n ** BigInt(shiftOther);
        expect(isSameDecimal(`${one}e${shiftOne}`, `${other}${'0'.repeat(shiftOther)}`)).toBe(same);
      }),
    );
  });
});
