import { type INestApplicationContext } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { EventSetAside } from '../../../platform/event-sourcing/coding/unusable-event.js';
import { EventStore, HistoryMissing } from '../../../platform/event-sourcing/event-store.js';
import { hasOnly } from '../../../platform/event-sourcing/reading/has-only.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { DEFAULT_PRICE_BOOK, PRICE_BOOK_ID, PRICE_BOOK_STREAMS } from '../domain/price-book.js';

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
