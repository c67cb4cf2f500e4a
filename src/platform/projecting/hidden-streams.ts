import { setTimeout as delay } from 'node:timers/promises';
import { type EventStore, type HistoryMissing, StoreUnavailable } from '../event-sourcing/event-store.js';
import { findMissingHistories, type FoundHistories } from '../event-sourcing/history-watch.js';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';

/** A search reads the whole log once, in the event store. */
const SEARCH_MS = 3_600_000;
const ATTEMPTS = 10;
const PAUSE_MS = 1_000;

/**
 * The streams of which events are hidden, while the log is replayed. A stream that was deleted or truncated is still in `$all` as a whole,
 * until a scavenge removes its events; a table that is built without those would lack rows that the live one has.
 */
export class HiddenStreams {
  private readonly missing = new Map<string, HistoryMissing>();
  /** The revision that comes next in the log; absent once one is missing. */
  private readonly next = new Map<string, bigint>();

  /** @throws Error if the log could not be searched in an hour */
  static async find(
    eventStore: Pick<EventStore, 'followRetention' | 'examineHistory'>,
    categories: ReadonlySet<string>,
  ): Promise<HiddenStreams> {
    const hidden = new HiddenStreams();
    if (categories.size === 0) return hidden;
    const { missing, isComplete } = await search(eventStore, categories);
    if (!isComplete)
      throw new Error('The event store did not find in an hour which streams hide events. Try again when it has less to do.');
    for (const each of missing) {
      hidden.missing.set(each.stream, each);
      hidden.next.set(each.stream, 0n);
    }
    return hidden;
  }

  /** Takes note of the events of the log, in their order. */
  read(events: readonly StoredEvent[]): void {
    if (this.missing.size === 0) return;
    for (const { stream, revision } of events) {
      const next = this.next.get(stream);
      if (next === undefined) continue;
      if (revision === next) this.next.set(stream, next + 1n);
      else this.next.delete(stream);
    }
  }

  /** Returns the streams of which the log does not hold all events any more. */
  incomplete(): readonly HistoryMissing[] {
    return [...this.missing.values()].filter(({ stream, last }) => {
      const next = this.next.get(stream);
      // The store does not say how many events a stream had that was ended for good.
      return next === undefined || next === 0n || (last !== undefined && next <= last);
    });
  }
}

/** Searches again when the connection to the event store breaks. */
async function search(
  eventStore: Pick<EventStore, 'followRetention' | 'examineHistory'>,
  categories: ReadonlySet<string>,
): Promise<FoundHistories> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await findMissingHistories(eventStore, categories, SEARCH_MS);
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || attempt === ATTEMPTS) throw error;
      await delay(PAUSE_MS);
    }
  }
}
