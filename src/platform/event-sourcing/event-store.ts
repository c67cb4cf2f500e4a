import { type Clock } from '../../kernel/clock.js';
import { SystemClock } from '../system-clock.js';
import { type AppendObserver } from './append-observer.js';
import { type Subscription } from './event-store-client/subscription.js';
import { type ReadFrom } from './event-store-client/read-request.js';
import { ReplaceableClient } from './event-store-client/replaceable-client.js';
import { type AppendResult, StoreClient } from './event-store-client/store-client.js';
import { AppendRefused, PermanentStoreError } from './event-store-client/permanent-store-error.js';
import { type NewEvent, type StoredEvent } from './recorded-event.js';

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

/** The event store adapter was closed before the outcome of an append was known. */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown';
}

/** A store did not respond, or a read model did not catch up, in time. The request may be repeated. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** The event store accepts no appends at present, for the reason in the message. Nothing was appended. */
export class AppendsRefused extends StoreUnavailable {
  override name = 'AppendsRefused';
}

const RESEND_DELAY_MS = { first: 50, max: 2_000 };
const READ_ATTEMPTS = 3;
const HEAD_PAGE = 64;
const MAX_STREAM_NAME_BYTES = 1_024;

/**
 * The service's adapter to the event store, which handles all of its failures (docs/adr/0003). After an error or a stall it replaces the
 * client. It sends an append with an unknown outcome again until the outcome is known.
 */
export class EventStore {
  private readonly client: ReplaceableClient;
  private readonly warn: (message: string) => void;
  private readonly clock: Clock;
  private readonly observer: AppendObserver | undefined;
  /** The check of appends in progress, which concurrent callers share. */
  private checking: Promise<void> | undefined;

  constructor(connectionString: string, options: EventStoreOptions = {}) {
    this.warn = options.onWarning ?? (() => undefined);
    this.clock = options.clock ?? new SystemClock();
    this.observer = options.observer;
    this.client = new ReplaceableClient(
      options.connect ?? (() => StoreClient.connectTo(connectionString)),
      options.stallTimeoutMs ?? 5_000,
      this.clock,
    );
  }

  /** Number of calls in flight. */
  get openCalls(): number {
    return this.client.openCalls;
  }

  /**
   * Appends all events or none, at an exact revision. If the outcome is unknown (timeout, broken connection), the identical append is
   * sent again until the store accepts or refuses it; the returned promise stays pending until then.
   * @throws OutcomeUnknown if the adapter is closed meanwhile, PermanentStoreError if a retry cannot succeed, AppendsRefused if the store
   *   accepts no appends at present. After any of the last two, nothing was appended.
   */
  async append(stream: string, events: readonly NewEvent[], expectedRevision: bigint): Promise<AppendResult> {
    const { observer } = this;
    if (!observer) return await this.appendUntilKnown(stream, events, expectedRevision);
    const startedAt = performance.now();
    const result = await this.appendUntilKnown(stream, events, expectedRevision);
    if (result.kind === 'appended') observer.appended(categoryOf(stream), events, (performance.now() - startedAt) / 1_000);
    else observer.conflicted(categoryOf(stream));
    return result;
  }

  private async appendUntilKnown(stream: string, events: readonly NewEvent[], expectedRevision: bigint): Promise<AppendResult> {
    let resent = false;
    for (let pause = RESEND_DELAY_MS.first; ; pause = Math.min(pause * 2, RESEND_DELAY_MS.max)) {
      const client = await this.client.current();
      this.throwIfClosing(stream);
      try {
        const result = await this.client.withTimeout(
          client.append(stream, events, expectedRevision === NO_EVENTS ? undefined : expectedRevision),
        );
        if (result.kind === 'position_unknown' || (result.kind === 'wrong_revision' && resent))
          return await this.findAppended(stream, events, expectedRevision);
        return result;
      } catch (error) {
        if (error instanceof PermanentStoreError) {
          // An earlier attempt with an unknown outcome may have succeeded.
          const found = resent ? await this.findAppended(stream, events, expectedRevision) : undefined;
          if (found?.kind === 'appended') return found;
          throw error;
        }
        // After an unknown outcome only the store can tell whether it has the events, so that append is repeated until it does.
        if (error instanceof AppendRefused && !resent) throw new AppendsRefused(error.message, { cause: error });
        this.throwIfClosing(stream);
        this.warn(`the outcome of an append is unknown (${describe(error)}); sending it again`);
        resent = true;
        this.observer?.resent();
        if (!(error instanceof AppendRefused)) await this.client.replace(client);
        await this.clock.delay(pause, this.client.signal).catch(() => undefined);
      }
    }
  }

  /** Returns the events of a stream, oldest first unless `backwards`; none for a stream that does not exist. */
  async readStream(
    stream: string,
    { from, backwards, maxCount }: { from?: bigint; backwards?: boolean; maxCount?: number } = {},
  ): Promise<StoredEvent[]> {
    // The store would respond with an error. Such a name can come from an invented id, and no stream has it.
    if (Buffer.byteLength(stream) > MAX_STREAM_NAME_BYTES) return [];
    return await this.withRetries((client) => client.readStream(stream, from ?? (backwards ? 'end' : 'start'), { backwards, maxCount }));
  }

  /** Yields the events of a stream from revision `from` on, page by page, for streams that are too long for memory. */
  async *streamPages(stream: string, from = 0n, pageSize = 1_000): AsyncGenerator<StoredEvent[]> {
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
    // Read one event first, and pages only if that is one of the store's own: its statistics may be all that was written for hours.
    let page = await this.allPage({ backwards: true, maxCount: 1 });
    while (page.events.length === 0 && page.next !== undefined)
      page = await this.allPage({ backwards: true, maxCount: HEAD_PAGE, after: page.next });
    return page.events[0];
  }

  /** Returns when the first event after a position (undefined: the beginning) was recorded; undefined if there is none. */
  async firstAfter(position: bigint | undefined): Promise<Date | undefined> {
    for (let after = position; ;) {
      const { since, next } = await this.allPage({ after, maxCount: HEAD_PAGE });
      if (since || next === undefined) return since;
      after = next;
    }
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
      events: ours.flatMap(({ event }) => event ?? []),
      since: ours[0] && new Date(ours[0].createdMs),
      next: entries.at(-1)?.position,
    };
  }

  /**
   * Opens a catch-up subscription to all events after `after`, without the store's own. It buffers up to twice `size` events, which is
   * the backpressure on the store. An error ends it; the subscriber then resumes from its checkpoint.
   * @param size number of events that the subscriber takes at a time
   * @param signal ends the subscription
   */
  async subscribe(after: bigint | undefined, size: number, signal: AbortSignal): Promise<Subscription> {
    return await (await this.client.current()).subscribe(after, size, signal);
  }

  /**
   * Checks that the store accepts appends, with one that it must reject because of its revision: nothing is written.
   * @throws AppendsRefused or PermanentStoreError with the store's reason, StoreUnavailable if it does not respond
   */
  async checkAppends(): Promise<void> {
    this.checking ??= this.probe().finally(() => {
      this.checking = undefined;
    });
    await this.checking;
  }

  private async probe(): Promise<void> {
    try {
      await this.client.withTimeout((await this.client.current()).probeAppends());
    } catch (error) {
      if (error instanceof PermanentStoreError) throw error;
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

  private throwIfClosing(stream: string): void {
    if (this.client.signal.aborted)
      throw new OutcomeUnknown(`The event store adapter was closed before the outcome of an append to ${stream} was known.`);
  }

  /** Looks for the events by id, because an append that was refused on a later attempt may have succeeded on an earlier one. */
  private async findAppended(stream: string, events: readonly NewEvent[], expectedRevision: bigint): Promise<AppendResult> {
    const stored = await this.readStream(stream, { from: expectedRevision + 1n, maxCount: events.length });
    const last = events.at(-1);
    const found = last && stored.find((event) => event.id === last.id);
    return found ? { kind: 'appended', revision: found.revision, position: found.position } : { kind: 'wrong_revision' };
  }

  private async withRetries<T>(read: (client: StoreClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const client = await this.client.current();
      try {
        return await this.client.withTimeout(read(client));
      } catch (error) {
        if (error instanceof PermanentStoreError || this.client.signal.aborted) throw error;
        await this.client.replace(client);
        if (attempt >= READ_ATTEMPTS) throw new StoreUnavailable(`The event store does not answer: ${describe(error)}`, { cause: error });
        await this.clock.delay(RESEND_DELAY_MS.first * attempt);
      }
    }
  }
}

function categoryOf(stream: string): string {
  return stream.split('-', 1)[0] ?? stream;
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

export { type AppendResult, PermanentStoreError };
