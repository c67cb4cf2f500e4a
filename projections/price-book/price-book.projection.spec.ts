import { describe, expect, it } from '@jest/globals';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { priceBookProjection } from './price-book.projection.js';

describe('the price book', () => {
  it('keeps every version', () => {
    const published = (version: number) => ({
      type: 'PriceBookPublished',
      data: { version, fees_kobo: { a: version }, ...(version === 3 && { vat_percent: 7.5 }), recorded_at: 't', actor: 'admin' },
    });
    expect(project(priceBookProjection, recorded([published(2), published(3)]))).toStrictEqual([
      { version: 2, fees_kobo: { a: 2 }, vat_percent: 0, published_at: 't' },
      { version: 3, fees_kobo: { a: 3 }, vat_percent: 7.5, published_at: 't' },
    ]);
  });
});
