import { randomUUID } from 'node:crypto';
import { type ExactEvent, type NewEvent, type RawEvent, type StoredEvent, type TimedEvent } from '../recorded-event.js';
import { Appends, Connection, type ReadCall } from './connecting/connection.js';
import { type AppendResponse, WRONG_REVISION } from './messages/append-message.js';
import { connectionOptions } from './connecting/connection-options.js';
import { Discovery } from './connecting/discovery.js';
import { Subscription } from './subscription.js';
import {
  allRequest,
  type ReadFrom,
  type ReadOptions,
  retentionRequest,
  streamRequest,
  subscribeRequest,
  type LogEntry,
  type ReadResponse,
} from './messages/read-message.js';
import { APPEND, appendFailure, appendTo, callFailure, READ_ALL, readOf } from './store-errors.js';

export type AppendResult =
  { readonly kind: 'appended'; readonly revision: bigint; readonly position: bigint } | { readonly kind: 'wrong_revision' };

/** The append succeeded, but the response has no position, as the store may respond to an append that it has stored before. */
export interface PositionUnknown {
  readonly kind: 'position_unknown';
  readonly revision: bigint;
}

/** Follows the last stream of those whose events may be hidden when the subscription begins. */
export const CAUGHT_UP = Symbol('caught up');
/** The name of a stream whose events may be hidden. */
export type LimitedStream = string | typeof CAUGHT_UP;

const IMPOSSIBLE_REVISION = 2n ** 40n;
const RETENTION_AT_ONCE = 256;

/**
 * Appends and reads on one connection, with our own protobuf encoding. The bytes are the client library's, at a fraction of the CPU time of
 * its encoding, which goes through base64 and an object per field (docs/adr/0003).
 */
export class StoreClient {
  private appends: Promise<Appends> | undefined;

  constructor(
    private readonly connection: Connection,
    private readonly discovery: Discovery,
  ) {}

  /**
   * Returns a function that makes clients of an event store. They share what is known of its nodes.
   * @throws AccessRejected if a file that the connection string names cannot be read
   */
  static factory(connectionString: string): () => StoreClient {
    const options = connectionOptions(connectionString);
    const discovery = Discovery.of(options);
    return () => new StoreClient(new Connection(options, discovery), discovery);
  }

  /** Whether another node might serve what this one does not. */
  get hasOtherNodes(): boolean {
    return this.discovery.hasOthers;
  }

  /** Whether the connection broke, so that only a new client can be used. */
  get isLost(): boolean {
    return this.connection.isLost;
  }

  /** Returns a client on the same connection, which this client's disposal ends and the returned client's does not. */
  borrowed(): StoreClient {
    return new BorrowedClient(this.connection, this.discovery);
  }

  /** Makes the next client connect to the node that was named as the leader. */
  leaderIs(address: string): void {
    this.discovery.leaderIs(address);
  }

  /**
   * Appends the events.
   * @param expectedRevision undefined for a stream that must not exist
   * @throws one of the errors in store-errors.ts, or that of a broken connection; after that one and CommitTimeout the outcome is unknown
   */
  async append(
    stream: string,
    events: readonly (NewEvent | ExactEvent)[],
    expectedRevision: bigint | undefined,
  ): Promise<AppendResult | PositionUnknown> {
    const response = await this.send(stream, events, expectedRevision, appendTo(stream));
    if ('error' in response) return { kind: 'wrong_revision' };
    const { revision, position } = response;
    return position === undefined ? { kind: 'position_unknown', revision } : { kind: 'appended', revision, position };
  }

  /**
   * Appends an event at a revision that no stream reaches: the store rejects it and writes nothing, if it accepts appends at all.
   * @throws what {@link append} throws
   */
  async probeAppends(): Promise<void> {
    await this.probe('probe');
  }

  /**
   * Returns the revision of the newest event that the stream ever had, also of one that the store does not show; -1 if it never had one.
   * @throws what {@link append} throws; StreamTombstoned if the stream was ended for good
   */
  async lastRevision(stream: string): Promise<bigint> {
    const response = await this.probe(stream);
    const current = 'error' in response ? response.current : undefined;
    if (current === undefined) throw new Error(`The event store does not say which revision ${stream} has.`);
    return current;
  }

  private async probe(stream: string): Promise<AppendResponse> {
    const metadata = { $correlationId: 'probe', $causationId: 'probe', schema_version: 1 };
    return await this.send(stream, [{ id: randomUUID(), type: 'Probe', data: {}, metadata }], IMPOSSIBLE_REVISION, APPEND);
  }

  /** Returns a success, or the rejection of the expected revision. @param right what the user needs for it, for the sentence to the operator */
  private async send(
    stream: string,
    events: readonly (NewEvent | ExactEvent)[],
    expectedRevision: bigint | undefined,
    right: string,
  ): Promise<AppendResponse> {
    this.appends ??= this.openAppends();
    const response = await (await this.appends).send(stream, events, expectedRevision);
    if ('error' in response && response.error !== WRONG_REVISION) throw appendFailure(response, right);
    return response;
  }

  /** Returns the events of a stream that the store shows; none for a stream that does not exist, and for one that was deleted. */
  async readStream(stream: string, from: ReadFrom, options: ReadOptions): Promise<TimedEvent[]> {
    const call = await this.connection.openRead(streamRequest(stream, from, options));
    return (await entriesOf(call, readOf(stream))).flatMap(({ event, createdMs }) => (event ? { ...event, createdMs } : []));
  }

  async readAll(from: ReadFrom, options: ReadOptions): Promise<LogEntry[]> {
    return await entriesOf(await this.connection.openRead(allRequest(from, options)), READ_ALL);
  }

  /** Reads like {@link readAll}, and leaves the events' data and metadata as they are in the log. */
  async readAllExactly(from: ReadFrom, options: ReadOptions): Promise<LogEntry<RawEvent>[]> {
    return await entriesOf(await this.connection.openRawRead(allRequest(from, options)), READ_ALL);
  }

  /** Opens a catch-up subscription to the events that tell of streams with metadata, and of streams that were ended for good. */
  async followRetention(signal: AbortSignal): Promise<Subscription<LimitedStream>> {
    const call = await this.connection.openRead(retentionRequest());
    const itemIn = ({ entry, caughtUp }: ReadResponse<unknown>): LimitedStream | undefined => (caughtUp ? CAUGHT_UP : entry?.limited);
    return new Subscription<LimitedStream>(call, RETENTION_AT_ONCE, signal, itemIn);
  }

  /**
   * Opens a catch-up subscription.
   * @param size number of events that the subscriber takes at a time
   * @param signal ends the subscription
   */
  async subscribe(after: bigint | undefined, size: number, signal: AbortSignal): Promise<Subscription<StoredEvent>> {
    return new Subscription(
      await this.connection.openRead(subscribeRequest(after)),
      size,
      signal,
      ({ entry }) => entry?.event as StoredEvent | undefined,
    );
  }

  /** Opens a catch-up subscription like {@link subscribe}, to events with the exact bytes of their data and metadata. */
  async subscribeRaw(after: bigint | undefined, size: number, signal: AbortSignal): Promise<Subscription<RawEvent>> {
    const call = await this.connection.openRawRead(subscribeRequest(after));
    return new Subscription(call, size, signal, ({ entry }) => entry?.event as RawEvent | undefined);
  }

  /** Returns the event of a stream with exactly this revision, with the bytes of its data and metadata; undefined if the store shows none. */
  async readRaw(stream: string, revision: bigint): Promise<RawEvent | undefined> {
    const call = await this.connection.openRawRead(streamRequest(stream, revision, { maxCount: 1 }));
    const [entry] = await entriesOf(call, readOf(stream));
    return entry?.event?.revision === revision ? entry.event : undefined;
  }

  /** Returns the version that the server reports; empty if it reports none. */
  async serverVersion(): Promise<string> {
    return await this.connection.serverVersion();
  }

  async dispose(): Promise<void> {
    await this.connection.dispose();
  }

  private async openAppends(): Promise<Appends> {
    const forget = (): void => {
      this.appends = undefined;
    };
    try {
      return new Appends(await this.connection.openAppends(), forget);
    } catch (error) {
      forget();
      throw error;
    }
  }
}

/** @param right what the user needs for the read, for the sentence to the operator */
async function entriesOf<Event>(call: ReadCall<Event>, right: string): Promise<LogEntry<Event>[]> {
  return await new Promise((resolve, reject) => {
    const entries: LogEntry<Event>[] = [];
    call.on('data', ({ entry }: ReadResponse<Event>) => {
      if (entry) entries.push(entry);
    });
    call.on('error', (error) => {
      reject(callFailure(error, right));
    });
    call.on('end', () => {
      resolve(entries);
    });
  });
}

class BorrowedClient extends StoreClient {
  override dispose(): Promise<void> {
    return Promise.resolve();
  }
}
