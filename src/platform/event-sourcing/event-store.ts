import { type Clock } from '../../kernel/clock.js';
import { SystemClock } from '../system-clock.js';
import { type AppendObserver } from './writing/append-observer.js';
import { type ClockGuard, ClockWrong } from './writing/clock-guard.js';
import { Limit } from './event-store-client/connecting/limit.js';
import { describe, Outage } from './event-store-client/connecting/outage.js';
import { type ReadFrom } from './event-store-client/messages/read-request.js';
import { timed } from './event-store-client/messages/read-response.js';
import { ReplaceableClient } from './event-store-client/replaceable-client.js';
import { type AppendResult, type LimitedStream, StoreClient } from './event-store-client/store-client.js';
import {
  ACCESS_REASONS,
  type AccessReason,
  AccessRejected,
  AppendRefused,
  PermanentStoreError,
  StoreClosed,
  StoreUnavailable,
  StreamTombstoned,
} from './event-store-client/store-errors.js';
import { type Subscription } from './event-store-client/subscription.js';
import { AppendsRefused, type Attempt, known, KnownAppend, OutcomeUnknown, type StillUnknown } from './writing/known-append.js';
import { StreamReader } from './reading/read-stream.js';
import { type ExactEvent, type NewEvent, type RawEvent, type StoredEvent, type TimedEvent, type TimedRawEvent } from './recorded-event.js';
import { categoryOf } from './stream-kind.js';
import { HistoryMissing, type MissingHistories, type StreamRange } from './reading/stream-history.js';

/** Expected revision of a stream that does not exist yet. */
export const NO_EVENTS = -1n;

export interface EventStoreOptions {
  /** Milliseconds after which an append or a read counts as stalled and the client is replaced; 5000 by default. */
  readonly stallTimeoutMs?: number;
  readonly onWarning?: (message: string) => void;
  readonly clock?: Clock;
  /** Creates the first client and each replacement. */
  readonly connect?: () => StoreClient;
  readonly observer?: AppendObserver;
  /** Is asked before each append, except of events that are copied as they are. */
  readonly clockGuard?: Pick<ClockGuard, 'check' | 'noteEvents' | 'noteAppend'> | undefined;
  /**
   * Checks the log behind each new connection before anything else uses it, and is given an event store that reads on that connection.
   * @throws AccessRejected if it is another log, StoreUnavailable if that cannot be told at present
   */
  readonly recognise?: ((log: EventStore) => Promise<void>) | undefined;
}

/** The events after a position in the log. */
export interface Backlog {
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

export interface AllPage {
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

/**
 * The service's adapter to the event store, which handles all of its failures (docs/adr/0003). After an error or a stall it replaces the
 * client. It sends an append with an unknown outcome again until the outcome is known, or for as long as the dates of its events allow.
 */
export class EventStore {
  private readonly client: ReplaceableClient;
  private readonly outage: Outage;
  private readonly reads = new Limit(READS_MAX);
  private readonly clock: Clock;
  private readonly observer: AppendObserver | undefined;
  private readonly clockGuard: EventStoreOptions['clockGuard'];
  private readonly streams: StreamReader;
  /** Is told of events before they are sent to the store, which may store them even if the caller never learns it. */
  onSending: (events: readonly NewEvent[]) => void = () => undefined;
  /** The check of appends in progress, which concurrent callers share. */
  private checking: Promise<void> | undefined;

  /** @throws AccessRejected if a file that the connection string names cannot be read */
  constructor(connectionString: string, options: EventStoreOptions = {}) {
    this.clock = options.clock ?? new SystemClock();
    this.observer = options.observer;
    this.clockGuard = options.clockGuard;
    this.outage = new Outage(this.clock, options.onWarning ?? (() => undefined));
    const { stallTimeoutMs = 5_000, recognise } = options;
    this.client = new ReplaceableClient(
      options.connect ?? StoreClient.factory(connectionString),
      stallTimeoutMs,
      this.clock,
      this.outage,
      recognise &&
        (async (client) => {
          const log = new EventStore(connectionString, { stallTimeoutMs, connect: () => client.borrowed() });
          await recognise(log).finally(() => log.close());
        }),
    );
    this.streams = new StreamReader((work) => this.withRetries(work), this.clock);
  }

  /** Number of calls in flight. */
  get openCalls(): number {
    return this.client.openCalls;
  }

  /**
   * Appends all events or none, at an exact revision. If the outcome is unknown (timeout, broken connection), the identical append is
   * sent again until the store accepts or refuses it; the returned promise stays pending until then.
   * @throws HistoryMissing if that is known of the stream, and after it was ended for good; OutcomeUnknown if the adapter is closed meanwhile, PermanentStoreError if a retry cannot succeed, AppendsRefused if the store
   *   accepts no appends at present, AccessRejected if it rejects this user, ClockWrong. After any of the last four, nothing was appended.
   */
  async append(stream: string, events: readonly NewEvent[], expectedRevision: bigint): Promise<AppendResult> {
    return known(await this.tryAppend(stream, events, expectedRevision));
  }

  /**
   * Appends like {@link append}, but returns `unknown` if the outcome is unknown after `attempt.forMs`: the dates of the events are too old
   * then to be sent again. The events may still be stored, so nobody may be told that they are not.
   */
  async tryAppend(
    stream: string,
    events: readonly NewEvent[],
    expectedRevision: bigint,
    attempt?: Attempt,
  ): Promise<AppendResult | StillUnknown> {
    if (this.streams.missing.has(stream)) await this.streams.examine(stream);
    return await this.appendDated(stream, events, expectedRevision, attempt);
  }

  /** Appends like {@link append}, also to a stream whose history is missing: only what holds whatever that history says. */
  async appendUnread(stream: string, events: readonly NewEvent[], expectedRevision: bigint): Promise<AppendResult> {
    return known(await this.appendDated(stream, events, expectedRevision));
  }

  private async appendDated(
    stream: string,
    events: readonly NewEvent[],
    expectedRevision: bigint,
    attempt?: Attempt,
  ): Promise<AppendResult | StillUnknown> {
    const { observer, clock } = this;
    this.clockGuard?.check(events);
    this.onSending(events);
    const startedMs = clock.elapsedMs();
    const result = await this.appendUntilKnown(stream, events, expectedRevision, attempt);
    if (result.kind === 'unknown') return result;
    if (result.kind === 'appended') this.clockGuard?.noteAppend({ stream, events, position: result.position, startedMs });
    if (!observer) return result;
    if (result.kind === 'appended') observer.appended(categoryOf(stream), events, (clock.elapsedMs() - startedMs) / 1_000);
    else observer.conflicted(categoryOf(stream));
    return result;
  }

  /** Appends like {@link appendUnread} events whose bytes the event store keeps as they are. The observer is not told of them. */
  async appendExactly(stream: string, events: readonly ExactEvent[], expectedRevision: bigint): Promise<AppendResult> {
    return known(await this.appendUntilKnown(stream, events, expectedRevision));
  }

  private async appendUntilKnown(
    stream: string,
    events: readonly (NewEvent | ExactEvent)[],
    expectedRevision: bigint,
    attempt?: Attempt,
  ): Promise<AppendResult | StillUnknown> {
    const { client, clock, outage } = this;
    const onResent = (): void => this.observer?.resent();
    const options = { client, clock, outage, onResent, headPosition: () => this.headPosition() };
    const result = await new KnownAppend(options, stream, events, expectedRevision === NO_EVENTS ? undefined : expectedRevision, attempt)
      .run()
      .catch((error: unknown) => {
        throw error instanceof StreamTombstoned ? this.streams.missing.add(new HistoryMissing(stream, undefined, undefined)) : error;
      });
    if (result.kind !== 'unknown') outage.responded();
    return result;
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

  /** Returns the event at exactly this position, which must come from this log: the store may refuse other numbers. */
  async eventAt(position: bigint): Promise<StoredEvent | undefined> {
    const [found] = await this.withRetries((client) => client.readAll(position, { maxCount: 1 }));
    return found?.position === position ? found.event : undefined;
  }

  /** Returns like {@link eventAt} an event with the exact bytes of its data and metadata, and with the event store's time. */
  async rawEventAt(position: bigint): Promise<TimedRawEvent | undefined> {
    const [found] = await this.withRetries((client) => client.readAllExactly(position, { maxCount: 1 }));
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

  /**
   * Opens a catch-up subscription to all events after `after`, without the store's own. It buffers up to twice `size` events, which is
   * the backpressure on the store. An error ends it; the subscriber then resumes from its checkpoint.
   * @param size number of events that the subscriber takes at a time
   * @param signal ends the subscription
   */
  async subscribe(after: bigint | undefined, size: number, signal: AbortSignal): Promise<Subscription<StoredEvent>> {
    const subscription = await this.open((client) => client.subscribe(after, size, signal));
    subscription.onTaken = (events) => {
      this.noted(events);
    };
    return subscription;
  }

  /** Opens a catch-up subscription like {@link subscribe}, to events with the exact bytes of their data and metadata. */
  async subscribeRaw(after: bigint | undefined, size: number, signal: AbortSignal): Promise<Subscription<RawEvent>> {
    return await this.open((client) => client.subscribeRaw(after, size, signal));
  }

  /**
   * Opens a catch-up subscription to the names of the streams whose events may be hidden: of each that has metadata, and of each that was
   * ended for good, from the log's beginning. An error ends it.
   */
  async followRetention(signal: AbortSignal): Promise<Subscription<LimitedStream>> {
    return await this.open((client) => client.followRetention(signal));
  }

  private noted<Events extends readonly StoredEvent[]>(events: Events): Events {
    this.clockGuard?.noteEvents(events);
    return events;
  }

  private async open<Item>(opening: (client: StoreClient) => Promise<Subscription<Item>>): Promise<Subscription<Item>> {
    const client = await this.client.current();
    const lost = (error: unknown): Promise<void> => this.client.failed(client, error);
    try {
      const subscription = await opening(client);
      subscription.onFailure = (error) => void lost(error);
      return subscription;
    } catch (error) {
      await lost(error);
      throw error instanceof StoreUnavailable ? error : noAnswer(error);
    }
  }

  /**
   * Checks that the store accepts appends, with one that it must reject because of its revision: nothing is written.
   * @throws AppendsRefused, AccessRejected or PermanentStoreError with the store's reason, StoreUnavailable if it does not respond
   */
  async checkAppends(): Promise<void> {
    this.checking ??= this.probe().finally(() => {
      this.checking = undefined;
    });
    await this.checking;
  }

  private async probe(): Promise<void> {
    try {
      await this.client.ask((client) => client.probeAppends());
    } catch (error) {
      if (error instanceof PermanentStoreError || error instanceof AccessRejected) throw error;
      if (error instanceof AppendRefused) throw new AppendsRefused(error.message, { cause: error });
      throw new StoreUnavailable(`The event store does not respond to appends: ${describe(error)}`, { cause: error });
    }
  }

  /** Returns the version that the server reports; empty if it reports none. */
  async serverVersion(): Promise<string> {
    return await this.withRetries((client) => client.serverVersion());
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private async withRetries<T>(read: (client: StoreClient) => Promise<T>): Promise<T> {
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

function noAnswer(error: unknown): StoreUnavailable {
  return new StoreUnavailable(`The event store does not answer: ${describe(error)}`, { cause: error });
}

/** The store would respond with an error. Such a name can come from an invented id, and no stream has it. */
function isTooLong(stream: string): boolean {
  return Buffer.byteLength(stream) > MAX_STREAM_NAME_BYTES;
}

export {
  ACCESS_REASONS,
  type AccessReason,
  AccessRejected,
  type AppendResult,
  AppendsRefused,
  ClockWrong,
  HistoryMissing,
  OutcomeUnknown,
  PermanentStoreError,
  StoreClosed,
  StoreUnavailable,
};
