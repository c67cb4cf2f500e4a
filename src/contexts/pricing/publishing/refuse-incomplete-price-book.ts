import { HistoryMissing } from '../../../platform/event-sourcing/event-store.js';
import { EventSetAside } from '../../../platform/event-sourcing/coding/unusable-event.js';
import { everyFee, PRICE_BOOK_ID, type PRICE_BOOK_STREAMS } from '../domain/price-book.js';
import { type WriterOf } from '../../../platform/event-sourcing/writing/stream-writer.js';

/**
 * Refuses the start of an API whose price book lacks a fee, because every lookup that needs the fee would fail. The book is read from the
 * event log, because the read model may not show the newest one yet. With an event in it that cannot be used the API starts: it refuses
 * lookups until an operator skips the event.
 * @throws FeeMissing
 */
export async function refuseIncompletePriceBook(stream: Pick<WriterOf<typeof PRICE_BOOK_STREAMS>, 'load'>): Promise<void> {
  try {
    everyFee((await stream.load(PRICE_BOOK_ID)).state);
  } catch (error) {
    // Prices whose history is missing cannot be changed. Lookups go on with those of the read model, which were complete when they were published.
    if (!(error instanceof EventSetAside || error instanceof HistoryMissing)) throw error;
  }
}
