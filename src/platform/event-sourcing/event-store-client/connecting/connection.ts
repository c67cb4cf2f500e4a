import { EventStoreDBClient } from '@eventstore/db-client';
import grpc from '@grpc/grpc-js';
import { type AppendResponse, decodeAppendResponse, encodeAppend } from '../messages/append-message.js';
import { type ConnectionOptions, proxyOptions } from './connection-options.js';
import { type Discovery } from './discovery.js';
import { type RawEvent, type StoredEvent, type ExactEvent, type NewEvent } from '../../recorded-event.js';
import { decodeRawResponse, decodeReadResponse, type ReadResponse } from '../messages/read-message.js';
import { randomUUID } from 'node:crypto';
import { APPEND, callFailure, PermanentStoreError } from '../store-errors.js';

export type AppendCall = grpc.ClientDuplexStream<Buffer, AppendResponse>;
export type ReadCall<Event = StoredEvent> = grpc.ClientReadableStream<ReadResponse<Event>>;

interface Streams extends grpc.Client {
  batchAppend(metadata: grpc.Metadata, options: grpc.CallOptions): AppendCall;
  read(request: Buffer, metadata: grpc.Metadata, options: grpc.CallOptions): ReadCall;
  readRaw(request: Buffer, metadata: grpc.Metadata, options: grpc.CallOptions): ReadCall<RawEvent>;
}

const identity = (bytes: Buffer): Buffer => bytes;
const method = (name: string, requestStream: boolean, responseDeserialize: (message: Buffer) => unknown) => ({
  path: `/event_store.client.streams.Streams/${name}`,
  requestStream,
  responseStream: true,
  requestSerialize: identity,
  requestDeserialize: identity,
  responseSerialize: identity as never,
  responseDeserialize,
});
const StreamsService = grpc.makeGenericClientConstructor(
  {
    batchAppend: method('BatchAppend', true, decodeAppendResponse),
    read: method('Read', false, decodeReadResponse),
    readRaw: method('Read', false, decodeRawResponse),
  },
  'Streams',
) as unknown as new (...args: ConstructorParameters<typeof grpc.Client>) => Streams;

/**
 * A connection to one node, for its whole life. The client library adds the user's credentials to calls, and keeps the list of calls that
 * disposal cancels.
 */
export class Connection extends EventStoreDBClient {
  private channel: Promise<grpc.Channel> | undefined;
  private readonly disposed = new AbortController();
  private lost = false;

  constructor(
    private readonly options: ConnectionOptions,
    private readonly discovery: Discovery,
  ) {
    super({ endpoint: options.seeds[0] ?? '' }, { insecure: options.isInsecure }, options.user);
    const cancelCalls = this.dispose;
    this.dispose = async () => {
      this.disposed.abort();
      const cancelled = cancelCalls();
      void this.channel?.then(
        (channel) => {
          channel.close();
        },
        () => undefined,
      );
      await cancelled;
    };
  }

  /** Whether the connection was established and is not any more. It is never established again: another store may answer at the address. */
  get isLost(): boolean {
    return this.lost;
  }

  /** Opens the call that carries all appends. @throws what {@link Discovery.endpoint} throws */
  async openAppends(): Promise<AppendCall> {
    return await this.open('append', { requiresLeader: this.discovery.wantsLeader }, (streams, args) => streams.batchAppend(...args));
  }

  /** Opens a read or a subscription. @throws what {@link Discovery.endpoint} throws */
  async openRead(request: Buffer): Promise<ReadCall> {
    return await this.open('read', {}, (streams, args) => streams.read(request, ...args));
  }

  /** Opens a read or a subscription whose events have the exact bytes of their data and metadata. */
  async openRawRead(request: Buffer): Promise<ReadCall<RawEvent>> {
    return await this.open('read', {}, (streams, args) => streams.readRaw(request, ...args));
  }

  async serverVersion(): Promise<string> {
    return (await this.capabilities).serverVersion;
  }

  /** The library's own would ask the nodes one after another, wait 5 s for one that hangs, and believe what others say of it. */
  protected override getChannel = async (): Promise<grpc.Channel> => {
    this.channel ??= this.openChannel();
    return await this.channel;
  };

  private async openChannel(): Promise<grpc.Channel> {
    const { channelCredentials, channelOptions } = this.options;
    const endpoint = await this.discovery.endpoint(this.disposed.signal);
    const channel = new grpc.Channel(endpoint, channelCredentials, { ...channelOptions, ...proxyOptions(endpoint) });
    whenLost(channel, () => {
      this.lost = true;
      channel.close();
    });
    return channel;
  }

  private async open<Call extends AppendCall | ReadCall | ReadCall<RawEvent>>(
    name: string,
    options: { readonly requiresLeader?: boolean },
    call: (streams: Streams, args: [grpc.Metadata, grpc.CallOptions]) => Call,
  ): Promise<Call> {
    const args = this.callArguments(options, { deadline: Infinity });
    return await this.GRPCStreamCreator<Streams, Call>(StreamsService, name, (streams) => call(streams, args))();
  }
}

/**
 * Calls `lost` once when a channel that was connected is so no longer. gRPC would connect it again, for a call that it repeats by itself or
 * for the next one, without a word to its user.
 */
function whenLost(channel: grpc.Channel, lost: () => void): void {
  const { READY, SHUTDOWN } = grpc.connectivityState;
  let state = channel.getConnectivityState(false);
  let wasReady = false;
  const watch = (): void => {
    channel.watchConnectivityState(state, Infinity, () => {
      state = channel.getConnectivityState(false);
      wasReady ||= state === READY;
      if (state === SHUTDOWN) return;
      if (wasReady && state !== READY) lost();
      else watch();
    });
  };
  watch();
}

interface Pending {
  resolve(this: void, response: AppendResponse): void;
  reject(this: void, error: Error): void;
}

/** Milliseconds after which the store drops an append that it has not started; the same as the client library's. */
const DEADLINE_MS = 10_000;

/** The BatchAppend call of a client, which carries all of its appends, and the appends that await a response. */
export class Appends {
  private readonly pending = new Map<string, Pending>();
  private failure: Error | undefined;

  constructor(
    private readonly call: AppendCall,
    onEnd: () => void,
  ) {
    const end = (error = new Error('The event store has ended the BatchAppend call.')): void => {
      const failure = callFailure(error, APPEND);
      this.failure ??= failure;
      for (const { reject } of this.pending.values()) reject(failure);
      this.pending.clear();
      onEnd();
    };
    call.on('error', end).on('end', end);
    call.on('data', (response: AppendResponse) => {
      this.pending.get(response.correlationId)?.resolve(response);
      this.pending.delete(response.correlationId);
    });
  }

  /**
   * Sends an append and waits for its response.
   * @throws PermanentStoreError for events that cannot be encoded, or the error that ended the call
   */
  async send(stream: string, events: readonly (NewEvent | ExactEvent)[], expectedRevision: bigint | undefined): Promise<AppendResponse> {
    if (this.failure) throw this.failure;
    const correlationId = randomUUID();
    const message = encoded(() => encodeAppend(correlationId, stream, expectedRevision, DEADLINE_MS, events));
    return await new Promise((resolve, reject) => {
      this.pending.set(correlationId, { resolve, reject });
      this.call.write(message);
    });
  }
}

/** Turns an encoding error into a permanent one, because sending the append again would fail for ever. */
function encoded(encode: () => Buffer): Buffer {
  try {
    return encode();
  } catch (cause) {
    throw new PermanentStoreError('An event cannot be encoded.', { cause });
  }
}
