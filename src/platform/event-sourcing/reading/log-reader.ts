import { type Clock } from '../../../kernel/clock.js';
import { describe, type ReplaceableClient } from '../event-store-client/replaceable-client.js';
import { type ReadFrom, timed } from '../event-store-client/messages/read-message.js';
import { type StoreClient } from '../event-store-client/store-client.js';
import { isPositionRefused, PermanentStoreError, StoreClosed, StoreUnavailable } from '../event-store-client/store-errors.js';
import { type RawEvent, type StoredEvent, type TimedEvent, type TimedRawEvent } from '../recorded-event.js';
import { type ClockGuard } from '../writing/clock-guard.js';
import { StreamReader, type MissingHistories, type StreamRange } from './read-stream.js';

/** Lets a number of works run at the same time; the others wait in the order of their arrival. */
export class Limit {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly max: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running < this.max) this.running += 1;
    else
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}

export type LogClockGuard = Pick<ClockGuard, 'check' | 'noteEvents' | 'noteAppend'>;

/** The events after a position in the log. */
interface Backlog {
  /** Number of events, up to the requested maximum. */
  readonly events: number;
  /** When the first of them was recorded; undefined if there are none. */
  readonly since: Date | undefined;
}

export interface AllPageOptions {
  readonly after?: bigint | undefined;
  readonly backwards?: boolean;
  readonly maxCount?: number;
}

interface AllPage {
  readonly events: readonly StoredEvent[];
  /** When the first of them was recorded; undefined if there are none. */
  readonly since: Date | undefined;
  /** Value of `after` for the next page, also if this page held only the store's own events; undefined at the log's end. */
  readonly next: bigint | undefined;
}

const READ_ATTEMPTS = 3;
const READ_AGAIN_MS = 50;
/** Reads of a thread at the same time. EventStoreDB carries 100 calls on a connection; appends and subscriptions need some of them. */
const READS_MAX = 64;
const HEAD_PAGE = 64;
const MAX_STREAM_NAME_BYTES = 1_024;

/** The reading half of the `EventStore`: it reads the log and its streams, and again after an error that may pass. */
export class LogReader {
  private readonly reads = new Limit(READS_MAX);
  protected readonly streams: StreamReader;

  protected constructor(
    protected readonly client: ReplaceableClient,
    protected readonly clock: Clock,
    protected readonly clockGuard: LogClockGuard | undefined,
  ) {
    this.streams = new StreamReader((work) => this.withRetries(work), clock);
  }

  /**
   * Returns the events of a stream, oldest first unless `backwards`; none for a stream that never was.
   * @throws HistoryMissing if the stream does not have all events of the range
   */
  async readStream(stream: string, range: StreamRange = {}): Promise<TimedEvent[]> {
    return isTooLong(stream) ? [] : this.noted(await this.streams.read(stream, range));
  }

  /**
   * Returns one event of a stream; undefined if the stream never had that revision.
   * @throws HistoryMissing if it had it, and does not show it
   */
  async eventIn(stream: string, revision: bigint): Promise<StoredEvent | undefined> {
    return (await this.readStream(stream, { from: revision, maxCount: 1 }))[0];
  }

  /** Returns like {@link eventIn} an event with the exact bytes of its data and metadata. @throws HistoryMissing */
  async rawEventIn(stream: string, revision: bigint): Promise<RawEvent | undefined> {
    if ((await this.eventIn(stream, revision)) === undefined) return undefined;
    return await this.withRetries((client) => client.readRaw(stream, revision));
  }

  /** Checks that the stream begins with revision 0, or never was. @throws HistoryMissing */
  async examineHistory(stream: string): Promise<void> {
    await this.streams.examine(stream);
  }

  /**
   * Returns the revision of the newest event that the stream ever had, hidden or not; NO_EVENTS if it never had one.
   * @throws HistoryMissing if the stream was ended for good
   */
  async lastRevision(stream: string): Promise<bigint> {
    return await this.streams.lastRevision(stream);
  }

  /** The streams of which this thread knows that their history is missing. */
  get missingHistories(): MissingHistories {
    return this.streams.missing;
  }

  /** Yields the events of a stream from revision `from` on, page by page, for streams that are too long for memory. */
  async *streamPages(stream: string, from = 0n, pageSize = 1_000): AsyncGenerator<TimedEvent[]> {
    for (let next = from; ;) {
      const page = await this.readStream(stream, { from: next, maxCount: pageSize });
      const last = page.at(-1);
      if (last) yield page;
      if (!last || page.length < pageSize) return;
      next = last.revision + 1n;
    }
  }

  async lastEvent(stream: string): Promise<StoredEvent | undefined> {
    return (await this.readStream(stream, { backwards: true, maxCount: 1 }))[0];
  }

  /** Returns the position of the newest event that is not one of the store's own; undefined if there is none. */
  async headPosition(): Promise<bigint | undefined> {
    return (await this.newestEvent())?.position;
  }

  async newestEvent(): Promise<StoredEvent | undefined> {
    return (await this.newest())?.event;
  }

  /** Returns the newest event that is not one of the store's own, with the time at which the store recorded it. */
  async newest(): Promise<{ readonly event: StoredEvent; readonly recordedAt: Date } | undefined> {
    // Read one event first, and pages only if that is one of the store's own: its statistics may be all that was written for hours.
    let page = await this.allPage({ backwards: true, maxCount: 1 });
    while (page.events.length === 0 && page.next !== undefined)
      page = await this.allPage({ backwards: true, maxCount: HEAD_PAGE, after: page.next });
    const [event] = page.events;
    return event && page.since && { event, recordedAt: page.since };
  }

  /** Counts the events after a position (undefined: the beginning) without the store's own, up to `max`. */
  async countAfter(position: bigint | undefined, max: number): Promise<number> {
    return (await this.backlog(position, max)).events;
  }

  /** Counts like {@link countAfter}, and returns also when the first of these events was recorded. */
  async backlog(position: bigint | undefined, max: number): Promise<Backlog> {
    const { events, since } = await this.allPage({ after: position, maxCount: max });
    return { events: Math.min(events.length, max), since };
  }

  /** Returns the event at exactly this position; undefined if there is none, also if the number is not from this log. */
  async eventAt(position: bigint): Promise<StoredEvent | undefined> {
    const [found] = await this.withRetries((client) => client.readAll(position, { maxCount: 1 }).catch(noneAtPosition));
    return found?.position === position ? found.event : undefined;
  }

  /** Returns like {@link eventAt} an event with the exact bytes of its data and metadata, and with the event store's time. */
  async rawEventAt(position: bigint): Promise<TimedRawEvent | undefined> {
    const [found] = await this.withRetries((client) => client.readAllExactly(position, { maxCount: 1 }).catch(noneAtPosition));
    return found?.event && found.position === position ? timed(found.event, found) : undefined;
  }

  /**
   * Returns a page of $all after the position `after`, without the store's own events. Without `after`, it begins at the start of the log,
   * or at the end if `backwards` is set.
   */
  async allPage({ after, backwards = false, maxCount = 1_000 }: AllPageOptions = {}): Promise<AllPage> {
    const from: ReadFrom = after ?? (backwards ? 'end' : 'start');
    // A forward read includes the event at the start position, so one more event is requested.
    const read = await this.withRetries((client) => client.readAll(from, { backwards, maxCount: maxCount + 1 }));
    const entries = read.filter(({ position }) => position !== after);
    const ours = entries.filter(({ event }) => event);
    return {
      events: this.noted(ours.flatMap(({ event }) => event ?? [])),
      since: ours[0] && new Date(ours[0].createdMs),
      next: entries.at(-1)?.position,
    };
  }

  /** Returns a page of $all after a position like {@link allPage}, forwards, with data and metadata as they are in the log. */
  async exactPage(after: bigint | undefined, maxCount: number) {
    const read = await this.withRetries((client) => client.readAllExactly(after ?? 'start', { maxCount: maxCount + 1 }));
    const entries = read.filter(({ position }) => position !== after);
    return {
      events: entries.flatMap((entry) => (entry.event ? timed(entry.event, entry) : [])),
      next: entries.at(-1)?.position,
    };
  }

  protected noted<Events extends readonly StoredEvent[]>(events: Events): Events {
    this.clockGuard?.noteEvents(events);
    return events;
  }

  protected async withRetries<T>(read: (client: StoreClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.reads.run(() => this.client.call(read));
      } catch (error) {
        if (error instanceof PermanentStoreError || error instanceof StoreUnavailable) throw error;
        if (this.client.signal.aborted) throw new StoreClosed('The connection to the event store is closed.', { cause: error });
        if (attempt >= READ_ATTEMPTS) throw noAnswer(error);
        await this.clock.delay(READ_AGAIN_MS * attempt);
      }
    }
  }
}

/**
 * Returns nothing if EventStoreDB refused the position of a read, because no event begins there. That is an answer, not an outage, so the
 * connection is kept.
 */
function noneAtPosition(error: unknown): [] {
  if (isPositionRefused(error)) return [];
  throw error;
}

export function noAnswer(error: unknown): StoreUnavailable {
  return new StoreUnavailable(`The event store does not answer: ${describe(error)}`, { cause: error });
}

/** The store would respond with an error. Such a name can come from an invented id, and no stream has it. */
function isTooLong(stream: string): boolean {
  return Buffer.byteLength(stream) > MAX_STREAM_NAME_BYTES;
}
