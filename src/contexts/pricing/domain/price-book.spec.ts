import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { SECTIONS } from '../../../kernel/section-names.js';
import { DEFAULT_PRICE_BOOK, FEE_KEYS, priceBookDecider, priceLookup } from './price-book.js';

const at = '2026-11-21T10:00:00.000Z';

describe('publishing the price book', () => {
  const fees_kobo = { ...DEFAULT_PRICE_BOOK.fees_kobo, 'svc_fee.identity': 75_00 };

  it('counts the versions from the built-in first', () => {
    given(priceBookDecider, [])
      .when({ fees_kobo, at, actor: 'admin' })
      .then([{ type: 'PriceBookPublished', data: { version: 2, fees_kobo, recorded_at: at, actor: 'admin' } }]);
  });

  it('does nothing with the fees in force', () => {
    given(priceBookDecider, []).when({ fees_kobo: DEFAULT_PRICE_BOOK.fees_kobo, at, actor: 'admin' }).thenNothing();
  });
});

describe('pricing a look-up', () => {
  it('has a fee for every section and pass-through', () => {
    expect(Object.keys(DEFAULT_PRICE_BOOK.fees_kobo).sort()).toStrictEqual([...FEE_KEYS].sort());
  });

  it('passes BVN and NIN checks through with their section', () => {
    expect(priceLookup(DEFAULT_PRICE_BOOK, ['identity', 'bvn_nin_data'], false)).toStrictEqual({
      'svc_fee.identity': 50_00,
      'svc_fee.bvn_nin_data': 50_00,
      'passthrough.bvn': 60_00,
      'passthrough.nin': 60_00,
    });
  });

  it('passes the bureau report through where there is one', () => {
    expect(priceLookup(DEFAULT_PRICE_BOOK, ['credit_history'], true)).toStrictEqual({
      'svc_fee.credit_history': 100_00,
      'passthrough.credit_bureau': 500_00,
    });
    expect(priceLookup(DEFAULT_PRICE_BOOK, ['credit_history'], false)).toStrictEqual({ 'svc_fee.credit_history': 100_00 });
  });

  it('knows all nine', () => {
    const sum = Object.values(priceLookup(DEFAULT_PRICE_BOOK, SECTIONS, true)).reduce((total, fee) => total + fee, 0);
    expect(sum).toBe((50 + 50 + 100 + 80 + 100 + 80 + 100 + 50 + 50 + 60 + 60 + 500) * 100);
  });
});
