import { describe, expect, it } from '@jest/globals';
import { given } from '../../../../test/support/unit/given.js';
import { type Section } from '../../../kernel/section-names.js';
import { DEFAULT_PRICE_BOOK, everyFee, FEE_KEYS, FeeMissing, type Fees, priceBookDecider, priceLookup } from './price-book.js';

const at = '2026-11-21T10:00:00.000Z';

describe('publishing the price book', () => {
  const fees_kobo = { ...DEFAULT_PRICE_BOOK.fees_kobo, 'svc_fee.identity': 75_00 };

  it('numbers versions from the built-in one, which is version 1', () => {
    given(priceBookDecider, [])
      .when({ fees_kobo, at, actor: 'admin' })
      .then([{ type: 'PriceBookPublished', data: { version: 2, fees_kobo, recorded_at: at, actor: 'admin' } }]);
  });

  it('begins a new log with version 1, unless one was published', () => {
    const begin = { fees_kobo: DEFAULT_PRICE_BOOK.fees_kobo, begins: true, at, actor: 'service' } as const;
    const begun = (version: number) => ({
      type: 'PriceBookPublished' as const,
      data: { version, fees_kobo: DEFAULT_PRICE_BOOK.fees_kobo, recorded_at: at, actor: 'service' },
    });
    given(priceBookDecider, [])
      .when(begin)
      .then([begun(1)]);
    for (const version of [1, 2])
      given(priceBookDecider, [begun(version)])
        .when(begin)
        .thenNothing();
    given(priceBookDecider, [begun(1)])
      .when({ fees_kobo, at, actor: 'admin' })
      .then([{ type: 'PriceBookPublished', data: { version: 2, fees_kobo, recorded_at: at, actor: 'admin' } }]);
  });

  it('changes nothing if the fees are those in force', () => {
    given(priceBookDecider, []).when({ fees_kobo: DEFAULT_PRICE_BOOK.fees_kobo, at, actor: 'admin' }).thenNothing();
  });

  it('publishes another rate of VAT alone as a new version, and keeps a rate that is left out', () => {
    const published = (version: number, fees: Fees, vat_percent: number) => ({
      type: 'PriceBookPublished' as const,
      data: { version, fees_kobo: fees, ...(vat_percent > 0 && { vat_percent }), recorded_at: at, actor: 'admin' },
    });
    const same = DEFAULT_PRICE_BOOK.fees_kobo;
    const publish = { fees_kobo: same, at, actor: 'admin' };
    const taxed = published(2, same, 7.5);
    given(priceBookDecider, [])
      .when({ ...publish, vat_percent: 7.5 })
      .then([taxed]);
    given(priceBookDecider, [taxed]).when(publish).thenNothing();
    given(priceBookDecider, [taxed])
      .when({ ...publish, vat_percent: 7.5 })
      .thenNothing();
    given(priceBookDecider, [taxed])
      .when({ ...publish, fees_kobo })
      .then([published(3, fees_kobo, 7.5)]);
    given(priceBookDecider, [taxed])
      .when({ ...publish, vat_percent: 0 })
      .then([published(3, same, 0)]);
  });

  it('refuses a book that lacks the fee of a section or a pass-through', () => {
    for (const key of FEE_KEYS) {
      const { [key]: _removed, ...rest } = DEFAULT_PRICE_BOOK.fees_kobo;
      const publish = (): unknown =>
        priceBookDecider.decide({ fees_kobo: rest as Fees, at, actor: 'admin' }, { ...DEFAULT_PRICE_BOOK, fees_kobo: rest });
      expect(publish).toThrow(new FeeMissing(2, [key]));
    }
  });

  it('replaces a book that was published before a section was added', () => {
    const { 'svc_fee.farms': _removed, ...old } = fees_kobo;
    given(priceBookDecider, [{ type: 'PriceBookPublished', data: { version: 2, fees_kobo: old, recorded_at: at, actor: 'admin' } }])
      .when({ fees_kobo, at, actor: 'admin' })
      .then([{ type: 'PriceBookPublished', data: { version: 3, fees_kobo, recorded_at: at, actor: 'admin' } }]);
  });
});

describe('a price book that was published before a section was added', () => {
  const { 'svc_fee.farms': _farms, 'passthrough.nin': _nin, ...old } = DEFAULT_PRICE_BOOK.fees_kobo;
  const book = { version: 7, fees_kobo: old, vat_percent: 0 };

  it('prices only the sections that it has fees for', () => {
    expect(priceLookup(book, ['identity'], false)).toStrictEqual({ 'svc_fee.identity': 50_00 });
    expect(() => priceLookup(book, ['identity', 'farms'], false)).toThrow(new FeeMissing(7, ['svc_fee.farms']));
    expect(() => priceLookup(book, ['bvn_nin_data'], false)).toThrow(new FeeMissing(7, ['passthrough.nin']));
  });

  it('prices a section at 0 if its fee is 0', () => {
    expect(priceLookup({ ...book, version: 8, fees_kobo: { ...old, 'svc_fee.farms': 0 } }, ['farms'], false)).toStrictEqual({
      'svc_fee.farms': 0,
    });
  });

  it('is reported with each fee that it lacks and what to do', () => {
    expect(everyFee(DEFAULT_PRICE_BOOK)).toBe(DEFAULT_PRICE_BOOK.fees_kobo);
    expect(() => everyFee(book)).toThrow(
      'The price book (version 7) has no fee for svc_fee.farms, passthrough.nin. Publish one that has every fee: rupa prices publish, or PUT /admin/v1/price-book.',
    );
  });
});

describe('pricing a lookup', () => {
  it('has a default fee for every section and pass-through', () => {
    expect(Object.keys(DEFAULT_PRICE_BOOK.fees_kobo).sort()).toStrictEqual([...FEE_KEYS].sort());
  });

  it('adds the pass-through fees of BVN and NIN to bvn_nin_data', () => {
    expect(priceLookup(DEFAULT_PRICE_BOOK, ['identity', 'bvn_nin_data'], false)).toStrictEqual({
      'svc_fee.identity': 50_00,
      'svc_fee.bvn_nin_data': 50_00,
      'passthrough.bvn': 60_00,
      'passthrough.nin': 60_00,
    });
  });

  it('adds the credit bureau’s fee if the farmer has a bureau report', () => {
    expect(priceLookup(DEFAULT_PRICE_BOOK, ['credit_history'], true)).toStrictEqual({
      'svc_fee.credit_history': 100_00,
      'passthrough.credit_bureau': 500_00,
    });
    expect(priceLookup(DEFAULT_PRICE_BOOK, ['credit_history'], false)).toStrictEqual({ 'svc_fee.credit_history': 100_00 });
  });

  it('prices all nine sections', () => {
    const nine: Section[] = [
      'identity',
      'bvn_nin_data',
      'credit_history',
      'outstanding_loans',
      'transaction_volume',
      'farms',
      'underwriting_value',
      'wallet',
      'socioeconomic_profile',
    ];
    const sum = Object.values(priceLookup(DEFAULT_PRICE_BOOK, nine, true)).reduce((total, fee) => total + fee, 0);
    expect(sum).toBe((50 + 50 + 100 + 80 + 100 + 80 + 100 + 50 + 50 + 60 + 60 + 500) * 100);
  });
});
