import { describe, expect, it } from '@jest/globals';
import { DEFAULT_PRICE_BOOK, FeeMissing, PRICE_BOOK_ID, type PRICE_BOOK_STREAMS, type PriceBook } from '../domain/price-book.js';
import { refuseIncompletePriceBook } from './begin-price-book.js';
import { type WriterOf } from '../../../platform/event-sourcing/writing/stream-writer.js';

const holding = (state: PriceBook): Pick<WriterOf<typeof PRICE_BOOK_STREAMS>, 'load'> => ({
  load: (id) => {
    expect(id).toBe(PRICE_BOOK_ID);
    return Promise.resolve({ state, revision: 0n, hash: undefined });
  },
});

describe('starting the API', () => {
  it('succeeds with the built-in price book', async () => {
    await expect(refuseIncompletePriceBook(holding(DEFAULT_PRICE_BOOK))).resolves.toBeUndefined();
  });

  it('is refused with a price book that lacks a fee', async () => {
    const { 'svc_fee.wallet': _removed, ...fees_kobo } = DEFAULT_PRICE_BOOK.fees_kobo;
    await expect(refuseIncompletePriceBook(holding({ version: 4, fees_kobo, vat_percent: 0 }))).rejects.toThrow(
      new FeeMissing(4, ['svc_fee.wallet']),
    );
  });
});
