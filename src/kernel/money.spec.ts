import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatNaira, isNaira, parseNaira, toCredits, toKobo, toNaira } from './money.js';

const kobo = fc.integer({ min: 0, max: 9_000_000_000_000_00 });

describe('money', () => {
  it('is converted from kobo to naira and back without a loss', () => {
    fc.assert(
      fc.property(kobo, (amount) => {
        expect(toKobo(toNaira(amount))).toBe(amount);
        expect(isNaira(toNaira(amount))).toBe(true);
      }),
    );
  });

  it('has at most two decimals', () => {
    for (const wrong of [0.001, 1.005, 10.123, Number.NaN, Number.POSITIVE_INFINITY, 1e15]) {
      expect(isNaira(wrong)).toBe(false);
      expect(() => toKobo(wrong)).toThrow(RangeError);
    }
    expect([0, 0.01, 1.1, 19.99, 4.35].map((amount) => [isNaira(amount), toKobo(amount)])).toStrictEqual([
      [true, 0],
      [true, 1],
      [true, 110],
      [true, 1999],
      [true, 435],
    ]);
    expect(isNaira('1')).toBe(false);
  });

  it('is formatted with two decimals and separated thousands, exactly', () => {
    const amounts = [0, 5, -5, 999_99, 1_000_00, -1_234_567_89, 18_014_398_509_481_983n];
    expect(amounts.map((amount) => formatNaira(amount))).toStrictEqual([
      '0.00',
      '0.05',
      '-0.05',
      '999.99',
      '1,000.00',
      '-1,234,567.89',
      '180,143,985,094,819.83',
    ]);
    expect(formatNaira(1_234_567_89, '')).toBe('1234567.89');
  });

  it('is converted to credits of ten naira, rounded up', () => {
    expect([0, 1, 10_00, 10_01, 530_00].map(toCredits)).toStrictEqual([0, 1, 1, 2, 53]);
  });
});

describe('decimal text', () => {
  it('is parsed to exact kobo', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }), (kobo) => {
        expect(parseNaira(formatNaira(kobo, ''))).toBe(kobo);
      }),
    );
    expect(['1500', '1500.5', '0.01', '0', '007'].map(parseNaira)).toStrictEqual([1500_00, 1500_50, 1, 0, 7_00]);
  });

  it.each(['', ' ', ' 1', '1 ', '-1', '+1', '1.', '.5', '1.005', '1,000', '0x10', '1e3', 'NaN', 'Infinity', '١', '9'.repeat(15), '1\n'])(
    'is not %j',
    (text) => {
      expect(parseNaira(text)).toBeUndefined();
    },
  );

  it('is nothing else that JavaScript takes for a number', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseNaira(text) === undefined).toBe(
          !/^\d{1,16}(\.\d{1,2})?$/.test(text) || !Number.isSafeInteger(Math.round(Number(text) * 100)),
        );
      }),
    );
  });
});
