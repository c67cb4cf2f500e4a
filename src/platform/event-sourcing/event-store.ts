import { type Clock } from '../../kernel/clock.js';
import { SystemClock } from '../system-clock.js';
import { ClockWrong } from './writing/clock-guard.js';
import { describe, Outage, ReplaceableClient } from './event-store-client/replaceable-client.js';
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
import { type LogClockGuard, LogReader, noAnswer } from './reading/log-reader.js';
import { type ExactEvent, type NewEvent, type RawEvent, type StoredEvent } from './recorded-event.js';
import { categoryOf } from './stream-kind.js';
import { HistoryMissing } from './reading/read-stream.js';

/** Receives the outcome of every append. Its methods must not throw. */
export interface AppendObserver {
  /** @param category the stream's name without the id */
  appended(category: string, events: readonly NewEvent[], seconds: number): void;
  conflicted(category: string): void;
  resent(): void;
}

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
  readonly clockGuard?: LogClockGuard | undefined;
  /**
   * Checks the log behind each new connection before anything else uses it, and is given an event store that reads on that connection.
   * @throws AccessRejected if it is another log, StoreUnavailable if that cannot be told at present
   */
  readonly recognise?: ((log: EventStore) => Promise<void>) | undefined;
}

/**
 * The service's adapter to the event store, which handles all of its failures (docs/adr/0003). After an error or a stall it replaces the
 * client. It sends an append with an unknown outcome again until the outcome is known, or for as long as the dates of its events allow.
 */
export class EventStore extends LogReader {
  private readonly outage: Outage;
  private readonly observer: AppendObserver | undefined;
  /** Is told of events before they are sent to the store, which may store them even if the caller never learns it. */
  onSending: (events: readonly NewEvent[]) => void = () => undefined;
  /** The check of appends in progress, which concurrent callers share. */
  private checking: Promise<void> | undefined;

  /** @throws AccessRejected if a file that the connection string names cannot be read */
  constructor(connectionString: string, options: EventStoreOptions = {}) {
    const { stallTimeoutMs = 5_000, recognise, clock = new SystemClock(), onWarning = () => undefined } = options;
    const outage = new Outage(clock, onWarning);
    const client = new ReplaceableClient(
      options.connect ?? StoreClient.factory(connectionString),
      stallTimeoutMs,
      clock,
      outage,
      recognise &&
        (async (client) => {
          const log = new EventStore(connectionString, { stallTimeoutMs, connect: () => client.borrowed() });
          await recognise(log).finally(() => log.close());
        }),
    );
    super(client, clock, options.clockGuard);
    this.outage = outage;
    this.observer = options.observer;
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
