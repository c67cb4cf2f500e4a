import { type EventStore } from '../event-store.js';
import { type StoredEvent } from '../recorded-event.js';

/** Events per page. Memory holds two pages at once, and events may be large. */
const PAGE = 500;

/** Yields the events after a position, up to the log's end, page by page. It reads one page ahead of the caller. */
export async function* logPages(eventStore: EventStore, after?: bigint, maxCount = PAGE): AsyncGenerator<readonly StoredEvent[]> {
  let reading = eventStore.allPage({ after, maxCount });
  for (;;) {
    const { events, next } = await reading;
    if (next === undefined) return;
    reading = eventStore.allPage({ after: next, maxCount });
    // A caller that stops early never awaits this page, so its failure must not become an unhandled rejection.
    reading.catch(() => undefined);
    if (events.length > 0) yield events;
  }
}
