import { everyFee } from './domain/price-book.js';
import { PRICE_BOOK_ID, type PriceBookStream } from './price-book-stream.js';

/**
 * Refuses the start of an API whose price book lacks a fee, because every lookup that needs the fee would fail. The book is read from the
 * event log, because the read model may not show the newest one yet.
 * @throws FeeMissing
 */
export async function refuseIncompletePriceBook(stream: Pick<PriceBookStream, 'load'>): Promise<void> {
  const { state } = await stream.load(PRICE_BOOK_ID);
  everyFee(state);
}
