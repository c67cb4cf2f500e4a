import {
  BACKWARDS,
  END,
  EventStoreDBClient,
  excludeSystemEvents,
  FORWARDS,
  jsonEvent,
  NO_STREAM,
  type AllStreamSubscription,
  type JSONRecordedEvent,
  type ReadPosition,
  START,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { type Clock, SystemClock } from '../infrastructure/clock.js';
import { type AppendObserver } from './append-observer.js';
import { replay } from './event-store-replay.js';
import { type EventMetadata, type NewEvent, type StoredEvent } from './recorded-event.js';

/** The revision a stream must have before an append: -1n for one that does not exist yet. */
export const NO_EVENTS = -1n;

export type AppendResult =
  | { readonly kind: 'appended'; readonly revision: bigint; readonly position: bigint }
  | { readonly kind: 'wrong_revision' };

export interface EventStoreOptions {
  /** How long an append or a read may take before the connection counts as stalled and is replaced, in ms. */
  readonly stallTimeoutMs?: number;
  readonly onWarning?: (message: string) => void;
  readonly clock?: Clock;
  /** Makes the first client, and every one that replaces another. */
  readonly connect?: () => EventStoreDBClient;
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

class Stalled extends Error {
  override name = 'Stalled';
}

const RESEND_DELAY_MS = { first: 50, max: 2_000 };
const READ_ATTEMPTS = 3;
const DISPOSE_TIMEOUT_MS = 250;
const HEAD_PAGE = 64;
const MAX_STREAM_NAME_BYTES = 1_024;
const utf8 = new TextEncoder();

/**
 * The only user of the event store's client, and the place of every guard against it (docs/adr/0003): its appends have no timer and
 * share one table of replies among all clients of a thread, so there is one client a thread, a timer on every call, and
 * after an error or a stall the client is disposed of, whole, before another is made.
 */
export class EventStore {
  private client: EventStoreDBClient;
  private replacing: Promise<void> | undefined;
  private readonly closing = new AbortController();
  /** Of every call that is waited for: ends the wait. */
  private readonly guarded = new Set<() => void>();
  private readonly stallTimeoutMs: number;
  private readonly warn: (message: string) => void;
  private readonly clock: Clock;
  private readonly connect: () => EventStoreDBClient;
  private readonly observer: AppendObserver | undefined;

  constructor(connectionString: string, options: EventStoreOptions = {}) {
    this.stallTimeoutMs = options.stallTimeoutMs ?? 5_000;
    this.warn = options.onWarning ?? (() => undefined);
    this.clock = options.clock ?? new SystemClock();
    this.connect = options.connect ?? (() => EventStoreDBClient.connectionString(connectionString));
    this.observer = options.observer;
    this.client = this.connect();
  }

  /** Calls that are waited for at this moment. */
  get openCalls(): number {
    return this.guarded.size;
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
    // As bytes: the client would turn metadata that is an object into base64 and back, twice.
    const messages = events.map(({ id, type, data, metadata }) => jsonEvent({ id, type, data, metadata: utf8.encode(JSON.stringify(metadata)) }));
    let resent = false;
    for (let pause = RESEND_DELAY_MS.first; ; pause = Math.min(pause * 2, RESEND_DELAY_MS.max)) {
      const client = this.client;
      try {
        const result = await this.guard(
          client.appendToStream(stream, messages, { expectedRevision: expectedRevision === NO_EVENTS ? NO_STREAM : expectedRevision }),
        );
        if (result.position === undefined) throw new Error('The event store answered an append without a position.');
        return { kind: 'appended', revision: result.nextExpectedRevision, position: result.position.commit };
      } catch (error) {
        if (error instanceof WrongExpectedVersionError) {
          return resent ? await this.findAppended(stream, events, expectedRevision) : { kind: 'wrong_revision' };
        }
        if (isFinal(error)) throw error;
        if (this.closing.signal.aborted) throw new OutcomeUnknown(`Closed before an append to ${stream} was answered.`);
        this.warn(`an append was not answered (${describe(error)}); sending it again`);
        resent = true;
        this.observer?.sentAgain();
        await this.replace(client);
        await this.clock.delay(pause, this.closing.signal).catch(() => undefined);
      }
    }
  }

  /** The events of a stream, oldest first unless backwards; empty for a stream that does not exist. */
  async readStream(
    stream: string,
    options: { from?: bigint; backwards?: boolean; maxCount?: number } = {},
  ): Promise<StoredEvent[]> {
    // Such as of an id that somebody made up: no stream has it, and the store would refuse the question.
    if (Buffer.byteLength(stream) > MAX_STREAM_NAME_BYTES) return [];
    return await this.retried(async (client) => {
      const found: StoredEvent[] = [];
      const reading = client.readStream(stream, {
        direction: options.backwards ? BACKWARDS : FORWARDS,
        fromRevision: options.from ?? (options.backwards ? END : START),
        ...(options.maxCount === undefined ? {} : { maxCount: options.maxCount }),
      });
      try {
        for await (const { event } of reading) if (event) found.push(toStored(event as JSONRecordedEvent));
      } catch (error) {
        if (error instanceof StreamNotFoundError) return [];
        throw error;
      }
      return found;
    });
  }

  /** A stream from `from` on, page by page, for streams too long to hold. */
  async *streamPages(stream: string, from = 0n, pageSize = 1_000): AsyncGenerator<StoredEvent[]> {
    for (let next = from; ; ) {
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
    // The store's own statistics may be all that was written for hours.
    for (let after: bigint | undefined; ; ) {
      const { events: [newest], next } = await this.allPage({ backwards: true, maxCount: HEAD_PAGE, after });
      if (newest || next === undefined) return newest;
      after = next;
    }
  }

  /** When the first event after a position was recorded (undefined: the first of all); undefined where there is none. */
  async firstAfter(position: bigint | undefined): Promise<Date | undefined> {
    for (let after = position; ; ) {
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
    const [found] = (await this.readAll(FORWARDS, { commit: position, prepare: position }, 1)).events;
    return found?.position === position ? found : undefined;
  }

  /** A page of all events but the store's own, in their order, beyond `after` (undefined: the end that it begins at). */
  async allPage({ after, backwards = false, maxCount = 1_000 }: AllPageOptions = {}): Promise<AllPage> {
    const from = after === undefined ? (backwards ? END : START) : { commit: after, prepare: after };
    // Upwards, the event that it begins at comes again.
    return await this.readAll(backwards ? BACKWARDS : FORWARDS, from, maxCount + 1, after);
  }

  /**
   * A catch-up subscription to all but the store's own events, after `after`. Reading it is the only back-pressure; an error ends it,
   * and the reader resumes from its checkpoint.
   */
  subscribeToAll(after: bigint | undefined, highWaterMark = 1_024): AllStreamSubscription {
    return this.client.subscribeToAll(
      {
        fromPosition: after === undefined ? START : { commit: after, prepare: after },
        filter: excludeSystemEvents({ checkpointInterval: 100 }),
      },
      { highWaterMark },
    );
  }

  /** As the server tells it; empty where it does not. */
  async serverVersion(): Promise<string> {
    return await this.retried(async (client) => {
      // The client asks for it anyway, and shows it to its own methods alone.
      const { capabilities } = client as unknown as { readonly capabilities: Promise<{ readonly serverVersion?: string }> };
      return (await capabilities).serverVersion ?? '';
    });
  }

  /** The events after `after` up to the first one at or behind `until`, in full batches; ends early only when `signal` is aborted. */
  replay(after: bigint | undefined, until: bigint, size: number, signal: AbortSignal): AsyncGenerator<StoredEvent[]> {
    return replay(this.client, after, until, size, signal);
  }

  async close(): Promise<void> {
    this.closing.abort();
    for (const giveUp of this.guarded) giveUp();
    await this.replacing;
    await this.dispose(this.client);
  }

  /** The ids tell whether an append that was refused when it was sent again had in truth succeeded the first time. */
  private async findAppended(stream: string, events: readonly NewEvent[], expectedRevision: bigint): Promise<AppendResult> {
    const stored = await this.readStream(stream, { from: expectedRevision + 1n, maxCount: events.length });
    const last = events.at(-1);
    const found = last && stored.find((event) => event.id === last.id);
    return found ? { kind: 'appended', revision: found.revision, position: found.position } : { kind: 'wrong_revision' };
  }

  private async readAll(direction: typeof FORWARDS | typeof BACKWARDS, fromPosition: ReadPosition, maxCount: number, except?: bigint): Promise<AllPage> {
    return await this.retried(async (client) => {
      const events: StoredEvent[] = [];
      let since: Date | undefined;
      let next: bigint | undefined;
      for await (const { event } of client.readAll({ direction, fromPosition, maxCount })) {
        if (!event || event.position.commit === except) continue;
        next = event.position.commit;
        if (isStoresOwn(event)) continue;
        since ??= event.created;
        events.push(toStored(event as JSONRecordedEvent));
      }
      return { events, since, next };
    });
  }

  private async retried<T>(read: (client: EventStoreDBClient) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const client = this.client;
      try {
        return await this.guard(read(client));
      } catch (error) {
        if (isFinal(error) || this.closing.signal.aborted) throw error;
        await this.replace(client);
        if (attempt >= READ_ATTEMPTS) throw new StoreUnavailable(`The event store does not answer: ${describe(error)}`, { cause: error });
        await this.clock.delay(RESEND_DELAY_MS.first * attempt);
      }
    }
  }

  private async guard<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined);
    const { promise: stalled, reject } = Promise.withResolvers<never>();
    const giveUp = (): void => {
      reject(new Stalled('closing'));
    };
    const cancel = this.clock.after(this.stallTimeoutMs, () => {
      reject(new Stalled(`no answer in ${this.stallTimeoutMs} ms`));
    });
    this.guarded.add(giveUp);
    try {
      return await Promise.race([work, stalled]);
    } finally {
      cancel();
      this.guarded.delete(giveUp);
    }
  }

  /** Whoever fails first on a client replaces it; the rest, failing on the same one, wait for the new one. */
  private async replace(failed: EventStoreDBClient): Promise<void> {
    if (failed !== this.client || this.closing.signal.aborted) return await this.replacing;
    this.replacing ??= (async () => {
      // Its open calls must have ended before another client exists: an error on one would reject the other's appends,
      // whose late replies would then throw where nobody catches.
      await this.dispose(failed);
      this.client = this.connect();
      this.replacing = undefined;
    })();
    await this.replacing;
  }

  /** Cancels every open call. One that was broken off by a reader never reports its end, so that it is not waited for long. */
  private async dispose(client: EventStoreDBClient): Promise<void> {
    const timer = new AbortController();
    await Promise.race([client.dispose(), this.clock.delay(DISPOSE_TIMEOUT_MS, timer.signal).catch(() => undefined)]);
    timer.abort();
  }
}

function categoryOf(stream: string): string {
  return stream.split('-', 1)[0] ?? stream;
}

function isStoresOwn({ type }: { readonly type: string }): boolean {
  return type.startsWith('$');
}

function isFinal(error: unknown): boolean {
  const type = (error as { type?: unknown }).type;
  return type === 'maximum-append-size-exceeded' || type === 'access-denied' || type === 'stream-deleted';
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

export function toStored(event: JSONRecordedEvent): StoredEvent {
  if (!event.position) throw new Error(`Event ${event.id} came without a position.`);
  return {
    id: event.id,
    stream: event.streamId,
    revision: event.revision,
    position: event.position.commit,
    type: event.type,
    data: event.data as Record<string, unknown>,
    metadata: event.metadata as unknown as EventMetadata,
  };
}

export { type AllStreamSubscription };
