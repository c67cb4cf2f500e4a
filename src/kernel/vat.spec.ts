import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isVatPercent, MAX_VAT_PERCENT, recordedVat, vatIn, vatPercentOf } from './vat.js';

const MAX_HUNDREDTHS = MAX_VAT_PERCENT * 100;
const fee = fc.oneof(fc.nat(1_000_000_00), fc.nat(Number.MAX_SAFE_INTEGER));
const hundredths = fc.nat(MAX_HUNDREDTHS);

describe('a rate of VAT', () => {
  it.each([0, 7.5, 7.55, 0.01, 99.99, 100])('can be %d', (percent) => {
    expect(isVatPercent(percent)).toBe(true);
  });

  it.each([-0.01, 100.01, 7.555, 1e-7, Number.NaN, Number.POSITIVE_INFINITY, '7.5', null, undefined, true])('cannot be %p', (value) => {
    expect(isVatPercent(value)).toBe(false);
  });

  it('can be each hundredth of a percent up to 100', () => {
    const all = Array.from({ length: MAX_HUNDREDTHS + 1 }, (_, each) => each / 100);
    expect(all.filter((percent) => !isVatPercent(percent))).toStrictEqual([]);
  });

  it('is recorded if it is above 0, and is 0 where none was recorded', () => {
    expect([recordedVat(0), recordedVat(7.5)]).toStrictEqual([{}, { vat_percent: 7.5 }]);
    expect([vatPercentOf({}), vatPercentOf({ vat_percent: null }), vatPercentOf(recordedVat(7.5))]).toStrictEqual([0, 0, 7.5]);
  });
});

describe('the VAT in a fee', () => {
  it.each([
    [50_00, 7.5, 3_49],
    [80_00, 7.5, 5_58],
    [100_00, 7.5, 6_98],
    [1, 7.5, 0],
    [1, 100, 1],
    [3, 100, 2],
    [0, 7.5, 0],
    [Number.MAX_SAFE_INTEGER, 100, 2 ** 52],
  ])('of %d kobo at %d percent is %d kobo', (fee_kobo, percent, vat_kobo) => {
    expect(vatIn(fee_kobo, percent)).toBe(vat_kobo);
  });

  it('is the exact fraction rounded half up, whatever the fee and the rate', () => {
    fc.assert(
      fc.property(fee, hundredths, (fee_kobo, rate) => {
        // vat is right if vat - 1/2 <= fee * rate / (10,000 + rate) < vat + 1/2.
        const [vat, divisor, product] = [
          BigInt(vatIn(fee_kobo, rate / 100)),
          BigInt(MAX_HUNDREDTHS + rate),
          BigInt(fee_kobo) * BigInt(rate),
        ];
        expect((2n * vat - 1n) * divisor <= 2n * product && 2n * product < (2n * vat + 1n) * divisor).toBe(true);
      }),
    );
  });

  it('is a part of the fee, and nothing without a rate', () => {
    fc.assert(
      fc.property(fee, hundredths, (fee_kobo, rate) => {
        const vat_kobo = vatIn(fee_kobo, rate / 100);
        expect(vat_kobo >= 0 && vat_kobo <= fee_kobo && vat_kobo + (fee_kobo - vat_kobo) === fee_kobo).toBe(true);
        expect([vatIn(fee_kobo, 0), vatIn(0, rate / 100)]).toStrictEqual([0, 0]);
      }),
    );
  });

  it('never falls as the fee or the rate grows', () => {
    fc.assert(
      fc.property(fee, fee, hundredths, hundredths, (one, other, rate, another) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        const [below, above] = [Math.min(rate, another) / 100, Math.max(rate, another) / 100];
        expect(vatIn(low, below) <= vatIn(high, below) && vatIn(low, below) <= vatIn(low, above)).toBe(true);
      }),
    );
  });
});
