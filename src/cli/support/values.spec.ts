import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { badTypedAmounts } from '../../../test/support/unit/violations.js';
import { amountInKobo, wholeNumber } from './values.js';

describe('a whole number that an operator types', () => {
  it('is read if it has decimal digits only and is within its limits', () => {
    fc.assert(
      fc.property(fc.integer({ min: -50, max: 150 }), (number) => {
        const read = (): number => wholeNumber(1, 100)(String(number));
        if (number >= 1 && number <= 100) expect(read()).toBe(number);
        else expect(read).toThrow('It must be a whole number from 1 to 100.');
      }),
    );
  });

  it.each(['', ' ', '0x10', '1e1', '+5', '5.0', '5 ', 'Infinity', 'NaN', '５', '0'.repeat(16)])('is not %j', (text) => {
    expect(() => wholeNumber(0, 100)(text)).toThrow('It must be a whole number from 0 to 100.');
  });
});

describe('an amount that an operator types', () => {
  it('is read to the kobo', () => {
    expect(['1500', '1500.5', '1500.50', '0.01'].map(amountInKobo)).toStrictEqual([1500_00, 1500_50, 1500_50, 1]);
  });

  it.each(badTypedAmounts.filter((text) => Number(text) !== 0 || text.trim() === '' || text.startsWith('-')))('is not %j', (text) => {
    expect(() => amountInKobo(text)).toThrow('It must be an amount in NGN with at most two decimals, such as 1500 or 1500.50.');
  });
});
