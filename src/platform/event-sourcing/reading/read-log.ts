import { type EventStore } from '../event-store.js';
import { type StoredEvent, type TimedRawEvent } from '../recorded-event.js';
import { categoryOf } from '../stream-kind.js';

/** Events per page. Memory holds two pages at once, and events may be large. */
const PAGE = 500;

/** Yields the events after a position, up to the log's end, page by page. It reads one page ahead of the caller. */
export async function* logPages(eventStore: EventStore, after?: bigint, maxCount = PAGE): AsyncGenerator<readonly StoredEvent[]> {
  yield* pagesOf(after, (from) => eventStore.allPage({ after: from, maxCount }));
}

/** Yields pages like {@link logPages}, of events with the exact bytes of the log. */
export async function* exactPages(eventStore: EventStore, after?: bigint): AsyncGenerator<readonly TimedRawEvent[]> {
  yield* pagesOf(after, (from) => eventStore.exactPage(from, PAGE));
}

async function* pagesOf<Event>(
  after: bigint | undefined,
  read: (after: bigint | undefined) => Promise<{ readonly events: readonly Event[]; readonly next: bigint | undefined }>,
): AsyncGenerator<readonly Event[]> {
  let reading = read(after);
  for (;;) {
    const { events, next } = await reading;
    if (next === undefined) return;
    reading = read(next);
    // A caller that stops early never awaits this page, so its failure must not become an unhandled rejection.
    reading.catch(() => undefined);
    if (events.length > 0) yield events;
  }
}

/** A log with more events is not new, whatever they are. */
const MAX_EVENTS = 1_000;

/** Returns whether the log has no events, or a few of the given categories alone. */
export async function hasOnly(eventStore: Pick<EventStore, 'allPage'>, categories: readonly string[]): Promise<boolean> {
  let found = 0;
  for (let after: bigint | undefined; ;) {
    const { events, next } = await eventStore.allPage({ after, maxCount: MAX_EVENTS });
    found += events.length;
    if (found > MAX_EVENTS || events.some(({ stream }) => !categories.includes(categoryOf(stream)))) return false;
    if (next === undefined) return true;
    after = next;
  }
}
