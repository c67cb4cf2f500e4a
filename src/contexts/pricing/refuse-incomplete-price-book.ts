import { everyFee } from './domain/price-book.js';
import { PRICE_BOOK_ID, type PriceBookStream } from './price-book-stream.js';

/**
 * An API that started with a book that lacks a fee would fail every lookup that needs it. The book is read from the log, because a
 * read model may still lack the newest one.
 * @throws FeeMissing
 */
export async function refuseIncompletePriceBook(stream: Pick<PriceBookStream, 'load'>): Promise<void> {
  const { state } = await stream.load(PRICE_BOOK_ID);
  everyFee(state);
}
