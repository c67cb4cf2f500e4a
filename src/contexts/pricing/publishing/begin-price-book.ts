import { type INestApplicationContext } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { EventSetAside } from '../../../platform/event-sourcing/coding/unusable-event.js';
import { EventStore, HistoryMissing } from '../../../platform/event-sourcing/event-store.js';
import { hasOnly } from '../../../platform/event-sourcing/reading/read-log.js';
import { Streams, type WriterOf } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { DEFAULT_PRICE_BOOK, PRICE_BOOK_ID, PRICE_BOOK_STREAMS, everyFee } from '../domain/price-book.js';

/** Categories of events that a new log may have before its prices: of its checkpoints, of commands in the audit trail, and of maintenance. */
const BEFORE_PRICES = ['checkpoint_keys', 'checkpoints', 'admin_audit', 'maintenance'];

/**
 * Publishes the built-in price book as version 1 in a new log, so that an auditor finds every price in the log (evidence, "The evidence
 * file"). A log that has other events keeps the built-in version unpublished. Any number of processes may do this at the same time.
 */
export async function beginPriceBook(app: INestApplicationContext): Promise<void> {
  if (!(await hasOnly(app.get(EventStore), BEFORE_PRICES))) return;
  const begin = { fees_kobo: DEFAULT_PRICE_BOOK.fees_kobo, begins: true, at: app.get(Clock).iso(), actor: 'service' } as const;
  try {
    await app.get(Streams).of(PRICE_BOOK_STREAMS).execute(PRICE_BOOK_ID, begin);
  } catch (error) {
    // Somebody has written or hidden prices: these are refused where they are read.
    if (!(error instanceof EventSetAside || error instanceof HistoryMissing)) throw error;
  }
}

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
