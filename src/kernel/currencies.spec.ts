import { describe, expect, it } from '@jest/globals';
import { isCurrency } from './money.js';

describe('a currency', () => {
  it('is one that Node knows, also if it is newer than a list of this service could be', () => {
    for (const code of ['NGN', 'USD', 'ZWG', 'XCG', ...Intl.supportedValuesOf('currency')])
      expect([code, isCurrency(code)]).toStrictEqual([code, true]);
  });

  it('is no other code, and no other value', () => {
    for (const value of ['AAA', 'DEM', 'ngn', 'NG', 'NAIRA', '', null, undefined, 566, ['NGN']]) expect(isCurrency(value)).toBe(false);
  });
});
