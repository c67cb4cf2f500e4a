import { type EventStoreDBClient } from '@eventstore/db-client';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { type Readable } from 'node:stream';
import { decodeReadResponse, type ReadResponse } from './read-response.js';
import { type StoredEvent } from './recorded-event.js';

type Call = Readable & { cancel(): void };
type CallArguments = readonly unknown[];

/** What the client keeps for its own commands: connections, discovery, credentials and the list of calls that its disposal ends. */
interface Inside {
  GRPCStreamCreator(streamsClient: typeof ReplayStreams, name: string, open: (streams: ReplayStreams) => Call): () => Promise<Call>;
  callArguments(options: object, callOptions: { deadline: number }): CallArguments;
}

/** The service as the client knows it, with answers that are decoded more cheaply. */
class ReplayStreams extends streamsService.StreamsClient {
  replay(request: streams.ReadReq, ...options: CallArguments): Call {
    const { path, requestSerialize } = streamsService.StreamsService.read;
    const call = this.makeServerStreamRequest.bind(this) as unknown as (...all: unknown[]) => Call;
    return call(path, requestSerialize, decodeReadResponse, request, ...options);
  }
}

/**
 * All but the store's own events after a position, up to the first one at or behind `until`, in batches of `size` to twice as many,
 * but for the last one. What comes next is received while a batch is dealt with.
 */
export async function* replay(client: EventStoreDBClient, after: bigint | undefined, until: bigint, size: number, signal: AbortSignal): AsyncGenerator<StoredEvent[]> {
  const call = await open(client, after);
  let waiting: StoredEvent[] = [];
  let ended: Error | undefined;
  let wake = (): void => undefined;
  const last = (): bigint => waiting.at(-1)?.position ?? -1n;
  const end = (error = new Error('The subscription ended.')): void => {
    ended ??= error;
    wake();
  };
  call.on('data', ({ event }: ReadResponse) => {
    if (!event) return;
    waiting.push(event);
    if (waiting.length >= 2 * size) call.pause();
    if (waiting.length >= size || event.position >= until) wake();
  });
  call.on('error', end).on('end', end);
  const abort = (): void => {
    end();
  };
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    for (let isLast = false; !isLast; ) {
      while (waiting.length < size && last() < until && !ended) await new Promise<void>((resolve) => (wake = resolve));
      if (signal.aborted) return;
      if (ended) throw ended;
      isLast = last() >= until;
      const batch = waiting;
      waiting = [];
      call.resume();
      yield batch;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    call.cancel();
  }
}

async function open(client: EventStoreDBClient, after: bigint | undefined): Promise<Call> {
  const inside = client as unknown as Inside;
  const request = new streams.ReadReq().setOptions(catchUp(after));
  return await inside.GRPCStreamCreator(ReplayStreams, 'replay', (service) => service.replay(request, ...inside.callArguments({}, { deadline: Infinity })))();
}

/** As the client's `subscribeToAll` with `excludeSystemEvents`. */
function catchUp(after: bigint | undefined): streams.ReadReq.Options {
  const { Options } = streams.ReadReq;
  const position = new Options.AllOptions();
  if (after === undefined) position.setStart(new shared.Empty());
  else position.setPosition(new Options.Position().setCommitPosition(after.toString()).setPreparePosition(after.toString()));
  const filter = new Options.FilterOptions().setEventType(new Options.FilterOptions.Expression().setRegex('^[^$].*')).setCount(new shared.Empty());
  return new Options()
    .setAll(position)
    .setSubscription(new Options.SubscriptionOptions())
    .setUuidOption(new Options.UUIDOption().setString(new shared.Empty()))
    .setFilter(filter.setCheckpointintervalmultiplier(100));
}
