import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { setMaxListeners } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { lockFolder } from '../../folder-lock.js';
import { append, type AppendContext, type PlainAppendCall } from './plain-append.js';
import { batchAppend, type BatchAppendCall } from './batch-append.js';
import { Budget } from '../budget.js';
import { deleteStream, tombstoneStream } from '../deletions.js';
import { openListener } from './grpc-listener.js';
import {
  CALLS_PER_CONNECTION_MAX,
  HELD_BYTES_MAX,
  IDLE_CONNECTION_MS,
  MESSAGE_BYTES_MAX,
  PING_AFTER_MS,
  PING_RESPONSE_MS,
  READ_MESSAGE_BYTES_MAX,
} from '../limits.js';
import { EventLog } from '../storing/log.js';
import { clusterOf, supportedMethods } from './node-info.js';
import { type DecodedRequest, type ReadCall, type ReadContext } from '../reading/read-call.js';
import { read } from '../reading/reads.js';
import { decodeBatchAppend, decodePlainAppend } from './wire.js';
import operationsService from '@eventstore/db-client/generated/operations_grpc_pb.js';
import type persistent from '@eventstore/db-client/generated/persistent_pb.js';
import persistentService from '@eventstore/db-client/generated/persistent_grpc_pb.js';
import { serviceError } from './grpc-errors.js';

export interface EventStoreServer {
  readonly port: number;
  readonly connectionString: string;
  /** Finishes running appends and sends their responses; open subscriptions and batch appends end with UNAVAILABLE. */
  close(): Promise<void>;
}

export interface EventStoreOptions {
  /** Folder of the log. It is created if it is missing, and locked so that no other process can use it. */
  readonly dataDir: string;
  /** Port to listen on; 0, the default, chooses a free one. */
  readonly port?: number;
  /** Limit for the data of an append, without metadata; 1 MiB by default, as EventStoreDB's. */
  readonly maxAppendBytes?: number;
  /** Whether commits go to a journal before LMDB; true by default. Only the benchmark switches it off, to measure the gain. */
  readonly journal?: boolean;
}

type DeleteCall = [Parameters<typeof deleteStream>[1], Parameters<typeof deleteStream>[2]];
type TombstoneCall = [Parameters<typeof tombstoneStream>[1], Parameters<typeof tombstoneStream>[2]];

const HOST = '127.0.0.1';
const DEFAULT_MAX_APPEND_BYTES = 1024 * 1024;
const CLOSE_TIMEOUT_MS = 500;

/**
 * Starts a single node that speaks EventStoreDB's protocol on loopback, without TLS and without users.
 * @throws Error when the folder or the port is in use.
 */
export async function startEventStoreServer({
  dataDir,
  port = 0,
  maxAppendBytes = DEFAULT_MAX_APPEND_BYTES,
  journal = true,
}: EventStoreOptions): Promise<EventStoreServer> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const unlock = await lockFolder(dataDir);
  let log: EventLog | undefined;
  try {
    log = journal ? EventLog.open(dataDir) : EventLog.open(dataDir, () => undefined);
    const closing = new AbortController();
    setMaxListeners(0, closing.signal);
    const budget = new Budget(HELD_BYTES_MAX);
    const server = makeServer({ log, maxAppendBytes, budget, closing: closing.signal });
    const listener = await openListener(server, budget, HOST, port);
    server.addService(
      gossipService.GossipService,
      unary('read', () => clusterOf(HOST, listener.port)),
    );
    return {
      port: listener.port,
      connectionString: `esdb://${HOST}:${listener.port}?tls=false`,
      close: async () => {
        closing.abort();
        listener.close();
        await shutDown(server);
        await log?.close();
        await unlock();
      },
    };
  } catch (error) {
    await log?.close();
    await unlock();
    throw error;
  }
}

/** All other services are missing: gRPC itself responds UNIMPLEMENTED. */
function makeServer(context: AppendContext & ReadContext): grpc.Server {
  const server = new grpc.Server({
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_concurrent_streams': CALLS_PER_CONNECTION_MAX,
    'grpc.keepalive_time_ms': PING_AFTER_MS,
    'grpc.keepalive_timeout_ms': PING_RESPONSE_MS,
    'grpc.max_connection_idle_ms': IDLE_CONNECTION_MS,
  });
  const { append: plain, batchAppend: batch, read: reading, delete: deletion, tombstone } = streamsService.StreamsService;
  const alreadyEncoded = (response: Buffer): Buffer => response;
  const definition = {
    append: { ...plain, requestDeserialize: decodePlainAppend, responseSerialize: alreadyEncoded },
    batchAppend: { ...batch, requestDeserialize: decodeBatchAppend, responseSerialize: alreadyEncoded },
    read: { ...reading, requestDeserialize: decodeRead, responseSerialize: alreadyEncoded },
    delete: deletion,
    tombstone,
  };
  server.addService(definition, {
    append: (call: PlainAppendCall, callback: Parameters<typeof append>[2]) => {
      append(context, call, callback);
    },
    batchAppend: (call: BatchAppendCall) => {
      batchAppend(context, call);
    },
    read: (call: ReadCall) => {
      void read(context, call);
    },
    delete: (...[call, callback]: DeleteCall) => {
      void deleteStream(context, call, callback);
    },
    tombstone: (...[call, callback]: TombstoneCall) => {
      void tombstoneStream(context, call, callback);
    },
  });
  server.addService(featuresService.ServerFeaturesService, unary('getSupportedMethods', supportedMethods));
  addAbsentServices(server);
  return server;
}

function unary(name: string, respond: () => unknown): grpc.UntypedServiceImplementation {
  return {
    [name]: (_call: unknown, callback: grpc.sendUnaryData<unknown>) => {
      callback(null, respond());
    },
  };
}

/** Decodes a read. Refuses large messages before the decoder turns everything in them into objects. */
function decodeRead(message: Buffer): DecodedRequest {
  if (message.length > READ_MESSAGE_BYTES_MAX) throw new RangeError('The request is too large.');
  try {
    return { request: streams.ReadReq.deserializeBinary(message) };
  } catch {
    return { request: undefined };
  }
}

/** Shuts down gracefully, and forcibly after a timeout: a reader may not read, or a connection may be stuck. */
async function shutDown(server: grpc.Server): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      resolve();
    }, CLOSE_TIMEOUT_MS);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Adds the two calls whose true response is that something does not exist: a persistent subscription cannot be created here, and no
 * scavenge ever runs. gRPC itself refuses all other methods of these services as not implemented.
 */
function addAbsentServices(server: grpc.Server): void {
  server.addService(persistentService.PersistentSubscriptionsService, {
    read: (call: grpc.ServerDuplexStream<persistent.ReadReq, persistent.ReadResp>) => {
      call.once('data', (request: persistent.ReadReq) => {
        const options = request.getOptions();
        const stream = Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
        const trailers = { 'stream-name': options?.hasAll() ? '$all' : stream, 'group-name': options?.getGroupName() ?? '' };
        call.emit('error', missing('persistent-subscription-does-not-exist', trailers));
      });
    },
  });
  server.addService(operationsService.OperationsService, {
    stopScavenge: (_call: unknown, callback: grpc.sendUnaryData<unknown>) => {
      callback(missing('scavenge-not-found', {}));
    },
  });
}

function missing(exception: string, trailers: Record<string, string>): grpc.ServiceError {
  const ascii = Object.entries(trailers).map(([key, value]) => [key, value.replaceAll(/[^\x20-\x7e]/g, '?')]);
  return serviceError(grpc.status.NOT_FOUND, 'It does not exist: this server has none.', {
    exception,
    ...(Object.fromEntries(ascii) as Record<string, string>),
  });
}
