import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isSameDecimal } from './exact-decimal.js';
import { formatNaira, isNaira, MAX_KOBO, parseNaira, sumInNaira, toCredits, toKobo, toNaira } from './money.js';

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

  it('is shown in NGN exactly, up to the largest amount and no further', () => {
    const near = fc.integer({ min: 0, max: 1_000_000 }).map((below) => MAX_KOBO - below);
    fc.assert(
      fc.property(fc.oneof(near, fc.integer({ min: 0, max: MAX_KOBO })), (amount) => {
        expect(Number(toNaira(amount).toFixed(2))).toBe(toNaira(amount));
        expect(formatNaira(amount, '')).toBe(toNaira(amount).toFixed(2));
        expect(isSameDecimal(formatNaira(amount, ''), String(toNaira(amount)))).toBe(true);
        expect(toKobo(toNaira(amount))).toBe(amount);
      }),
    );
    expect(isNaira(toNaira(MAX_KOBO))).toBe(true);
    expect(isNaira(toNaira(MAX_KOBO + 1))).toBe(false);
    expect(toNaira(MAX_KOBO + 2)).toBe(toNaira(MAX_KOBO + 1));
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

describe('a sum of money', () => {
  it('is written by JSON with every digit, however large', () => {
    const near = fc.bigInt(-10n, 10n).chain((offset) => fc.constantFrom(1n, -1n).map((sign) => sign * BigInt(MAX_KOBO) + offset));
    fc.assert(
      fc.property(fc.oneof(near, fc.bigInt(-(10n ** 30n), 10n ** 30n)), (kobo) => {
        const [written = ''] = JSON.parse(JSON.stringify([JSON.stringify(sumInNaira(kobo))])) as string[];
        expect(isSameDecimal(written, formatNaira(kobo, ''))).toBe(true);
      }),
    );
    expect(JSON.stringify({ sum: sumInNaira(18_014_398_509_481_983n) })).toBe('{"sum":180143985094819.83}');
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
