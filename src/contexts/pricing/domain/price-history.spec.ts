import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SECTIONS } from '../../../kernel/section-names.js';
import { DEFAULT_PRICE_BOOK, FEE_KEYS, priceLookup } from './price-book.js';
import { PriceHistory } from './price-history.js';
import { BUILT_IN, type PublishedPriceBook } from './price-timeline.js';

const PUBLISHED = '2026-11-01T00:00:00.000Z';
const REPLACED = '2026-11-02T00:00:00.000Z';
const at = (time: string, seconds: number): string => new Date(Date.parse(time) + seconds * 1_000).toISOString();

const ANNOUNCED = '2026-10-01T00:00:00.000Z';
const book = (version: number, effective_at: string): PublishedPriceBook => ({
  version,
  published_at: ANNOUNCED,
  effective_at,
  actor: 'admin',
  vat_percent: version === 2 ? 7.5 : 0,
  fees_kobo: Object.fromEntries(FEE_KEYS.map((key, index) => [key, version * 100_00 + index])),
});
const second = book(2, PUBLISHED);

const history = (): PriceHistory => new PriceHistory(BUILT_IN, second, book(3, REPLACED));

const charged = (version: number, recorded_at: string) => ({
  price_book_version: version,
  recorded_at,
  ...(version === 2 && { vat_percent: 7.5 }),
  breakdown_kobo: priceLookup(version === 2 ? second : DEFAULT_PRICE_BOOK, ['identity', 'bvn_nin_data'], false),
});

describe('the history of prices', () => {
  it.each([
    ['the built-in prices before any were published', charged(1, at(PUBLISHED, -60))],
    ['the built-in prices until ten seconds after a publication', charged(1, at(PUBLISHED, 10))],
    ['prices from their publication on', charged(2, PUBLISHED)],
    ['prices by a clock that is ten seconds behind', charged(2, at(PUBLISHED, -10))],
    ['prices until ten seconds after they were replaced', charged(2, at(REPLACED, 10))],
  ])('holds for %s', (_name, debit) => {
    expect(history().faultOf(debit)).toBeUndefined();
  });

  it.each([
    ['a version that was never published', charged(4, REPLACED), 'never published'],
    ['prices before their publication', charged(2, at(PUBLISHED, -11)), 'after it'],
    ['prices after they were replaced', charged(2, at(REPLACED, 11)), 'the version 3 had replaced'],
    [
      'another rate of VAT',
      { ...charged(2, PUBLISHED), vat_percent: 7 },
      'Its VAT is 7 percent, but in the version 2 of the price book it is 7.5 percent.',
    ],
    ['VAT by a book without', { ...charged(1, at(PUBLISHED, -60)), vat_percent: 7.5 }, 'it is 0 percent'],
    ['no section', { ...charged(2, PUBLISHED), breakdown_kobo: {} }, 'no section'],
    [
      'a section that the book has no fee for',
      { ...charged(1, PUBLISHED), breakdown_kobo: { 'svc_fee.identity': 50_00, 'svc_fee.secrets': 1 } },
      'Its fee svc_fee.secrets is NGN 0.01, but in the version 1 of the price book it is none.',
    ],
  ])('does not hold for %s', (_name, debit, reason) => {
    expect(history().faultOf(debit)).toContain(reason);
  });

  it('holds for any sections, and for no other fee of any of them', () => {
    const sections = fc.subarray([...SECTIONS], { minLength: 1 });
    fc.assert(
      fc.property(sections, fc.boolean(), fc.nat(), fc.integer({ min: -50_00, max: 50_00 }), (chosen, hasReport, which, by) => {
        const breakdown_kobo = priceLookup(second, chosen, hasReport);
        const debit = { price_book_version: 2, recorded_at: PUBLISHED, breakdown_kobo, vat_percent: 7.5 };
        expect(history().faultOf(debit)).toBeUndefined();
        const keys = Object.keys(breakdown_kobo);
        const key = keys[which % keys.length] ?? '';
        const changed = { ...breakdown_kobo, [key]: (breakdown_kobo[key] ?? 0) + by };
        expect(history().faultOf({ ...debit, breakdown_kobo: changed }) === undefined).toBe(by === 0);
      }),
    );
  });
});
