import { type Clock } from '../../kernel/clock.js';
import { SystemClock } from '../system-clock.js';
import { type AppendObserver } from './append-observer.js';
import { type Following } from './event-store-client/following.js';
import { type ReadFrom } from './event-store-client/read-request.js';
import { ReplaceableClient } from './event-store-client/replaceable-client.js';
import { type AppendResult, StoreClient } from './event-store-client/store-client.js';
import { PermanentStoreError } from './event-store-client/permanent-store-error.js';
import { type NewEvent, type StoredEvent } from './recorded-event.js';

/** The revision a stream must have before an append: -1n for one that does not exist yet. */
export const NO_EVENTS = -1n;

export interface EventStoreOptions {
  /** How long an append or a read may take before the connection counts as stalled and is replaced, in ms. */
  readonly stallTimeoutMs?: number;
  readonly onWarning?: (message: string) => void;
  readonly clock?: Clock;
  /** Makes the first client, and every one that replaces another. */
  readonly connect?: () => StoreClient;
  readonly observer?: AppendObserver;
}

/** What lies in the log beyond a position. */
export interface Beyond {
  /** No more than were to be counted. */
  readonly events: number;
  /** When the first of them was recorded. */
  readonly since: Date | undefined;
}

export interface AllPageOptions {
  readonly after?: bigint | undefined;
  readonly backwards?: boolean;
  readonly maxCount?: number;
}

export interface AllPage {
  readonly events: readonly StoredEvent[];
  /** When the first of them was recorded. */
  readonly since: Date | undefined;
  /** Where the next page goes on, also where this one holds nothing but the store's own events; undefined at the log's end. */
  readonly next: bigint | undefined;
}

/** The adapter was closed before the store said whether the append had happened. */
export class OutcomeUnknown extends Error {
  override name = 'OutcomeUnknown';
}

export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

const RESEND_DELAY_MS = { first: 50, max: 2_000 };
const READ_ATTEMPTS = 3;
const HEAD_PAGE = 64;
const MAX_STREAM_NAME_BYTES = 1_024;

/**
 * The event store as the service uses it, and the place of every guard against its failures (docs/adr/0003): after an error or a stall
 * the client is replaced; an append whose outcome is unknown is sent again until it is known.
 */
export class EventStore {
  private readonly client: ReplaceableClient;
  private readonly warn: (message: string) => void;
  private readonly clock: Clock;
  private readonly observer: AppendObserver | undefined;

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

  /** Calls that are waited for at this moment. */
  get openCalls(): number {
    return this.client.openCalls;
  }

  /**
   * Appends all events or none, at an exact revision. An unknown outcome (time-out, broken connection) is resolved by sending
   * the identical append again until the store accepts or refuses it; this call waits for as long as that takes.
   * @throws OutcomeUnknown when the adapter is closed meanwhile.
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
        const result = await this.client.guard(
          client.append(stream, events, expectedRevision === NO_EVENTS ? undefined : expectedRevision),
        );
        if (result.kind === 'unplaced' || (result.kind === 'wrong_revision' && resent))
          return await this.findAppended(stream, events, expectedRevision);
        return result;
      } catch (error) {
        if (error instanceof PermanentStoreError) {
          // It may have been taken when it was sent before.
          const found = resent ? await this.findAppended(stream, events, expectedRevision) : undefined;
          if (found?.kind === 'appended') return found;
          throw error;
        }
        this.throwIfClosing(stream);
        this.warn(`an append was not answered (${describe(error)}); sending it again`);
        resent = true;
        this.observer?.sentAgain();
        await this.client.replace(client);
        await this.clock.delay(pause, this.client.signal).catch(() => undefined);
      }
    }
  }

  /** The events of a stream, oldest first unless backwards; empty for a stream that does not exist. */
  async readStream(
    stream: string,
    { from, backwards, maxCount }: { from?: bigint; backwards?: boolean; maxCount?: number } = {},
  ): Promise<StoredEvent[]> {
    // Such as of an id that somebody made up: no stream has it, and the store would refuse the question.
    if (Buffer.byteLength(stream) > MAX_STREAM_NAME_BYTES) return [];
    return await this.retried((client) => client.readStream(stream, from ?? (backwards ? 'end' : 'start'), { backwards, maxCount }));
  }

  /** A stream from `from` on, page by page, for streams too long to hold. */
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

  /** The position of the newest event of all that is not the store's own, if there is one. */
  async headPosition(): Promise<bigint | undefined> {
    return (await this.newestEvent())?.position;
  }

  async newestEvent(): Promise<StoredEvent | undefined> {
    // The very newest, and pages only where that is one of the store's own: its statistics may be all that was written for hours.
    let page = await this.allPage({ backwards: true, maxCount: 1 });
    while (page.events.length === 0 && page.next !== undefined)
      page = await this.allPage({ backwards: true, maxCount: HEAD_PAGE, after: page.next });
    return page.events[0];
  }

  /** When the first event after a position was recorded (undefined: the first of all); undefined where there is none. */
  async firstAfter(position: bigint | undefined): Promise<Date | undefined> {
    for (let after = position; ;) {
      const { since, next } = await this.allPage({ after, maxCount: HEAD_PAGE });
      if (since || next === undefined) return since;
      after = next;
    }
  }

  /** How many events, but the store's own, come after a position (undefined: the beginning); more than `max` are not counted. */
  async countAfter(position: bigint | undefined, max: number): Promise<number> {
    return (await this.beyond(position, max)).events;
  }

  /** As {@link countAfter}, and since when the first of them has been there. */
  async beyond(position: bigint | undefined, max: number): Promise<Beyond> {
    const { events, since } = await this.allPage({ after: position, maxCount: max });
    return { events: Math.min(events.length, max), since };
  }

  /** The event at exactly this position, which must be one of this log's. */
  async eventAt(position: bigint): Promise<StoredEvent | undefined> {
    const [found] = await this.retried((client) => client.readAll(position, { maxCount: 1 }));
    return found?.position === position ? found.event : undefined;
  }

  /** A page of all events but the store's own, in their order, beyond `after` (undefined: the end that it begins at). */
  async allPage({ after, backwards = false, maxCount = 1_000 }: AllPageOptions = {}): Promise<AllPage> {
    const from: ReadFrom = after ?? (backwards ? 'end' : 'start');
    // Upwards, the event that it begins at comes again.
    const read = await this.retried((client) => client.readAll(from, { backwards, maxCount: maxCount + 1 }));
    const entries = read.filter(({ position }) => position !== after);
    const ours = entries.filter(({ event }) => event);
    return {
      events: ours.flatMap(({ event }) => event ?? []),
      since: ours[0] && new Date(ours[0].createdMs),
      next: entries.at(-1)?.position,
    };
  }

  /**
   * A catch-up subscription to all but the store's own events, after `after`. Taking from it is the only back-pressure; an error
   * ends it, and the reader resumes from its checkpoint.
   * @param size of what is taken at a time
   * @param signal stops it
   */
  async follow(after: bigint | undefined, size: number, signal: AbortSignal): Promise<Following> {
    return await (await this.client.current()).follow(after, size, signal);
  }

  /** As the server tells it; empty where it does not. */
  async serverVersion(): Promise<string> {
    return await this.retried((client) => client.serverVersion());
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  private throwIfClosing(stream: string): void {
    if (this.client.signal.aborted) throw new OutcomeUnknown(`Closed before an append to ${stream} was answered.`);
  }

  /** The ids tell whether an append that was refused when it was sent again had in truth succeeded the first time. */
  private async findAppended(stream: string, events: readonly NewEvent[], expectedRevision: bigint): Promise<AppendResult> {
    const stored = await this.readStream(stream, { from: expectedRevision + 1n, maxCount: events.length });
    const last = events.at(-1);
    const found = last && stored.find((event) => event.id === last.id);
    return found ? { kind: 'appended', revision: found.revision, position: found.position } : { kind: 'wrong_revision' };
  }

  private async retried<T>(read: (client: StoreClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const client = await this.client.current();
      try {
        return await this.client.guard(read(client));
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

export { type AppendResult };
