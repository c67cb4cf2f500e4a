import { type EventStore } from './event-store.js';
import { type StoredEvent } from './recorded-event.js';

/** Two pages are held at once, of events that may be large. */
const PAGE = 500;

/** The whole log after a position, up to where it ends by then, page by page; the next page is read while this one is dealt with. */
export async function* logPages(eventStore: EventStore, after?: bigint, maxCount = PAGE): AsyncGenerator<readonly StoredEvent[]> {
  let reading = eventStore.allPage({ after, maxCount });
  for (;;) {
    const { events, next } = await reading;
    if (next === undefined) return;
    reading = eventStore.allPage({ after: next, maxCount });
    // Whoever stops in the middle waits for it no more.
    reading.catch(() => undefined);
    if (events.length > 0) yield events;
  }
}
