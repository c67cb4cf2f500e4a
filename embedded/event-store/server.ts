import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import grpc from '@grpc/grpc-js';
import { setMaxListeners } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { lockFolder } from '../folder-lock.js';
import { append, type AppendContext, batchAppend, type BatchAppendCall, type PlainAppendCall } from './appends.js';
import { EventLog } from './log.js';
import { clusterOf, supportedMethods } from './node-info.js';
import { type ReadCall, type ReadContext } from './read-call.js';
import { read } from './reads.js';
import { decodeBatchAppend, decodePlainAppend } from './wire.js';

export interface EventStoreServer {
  readonly port: number;
  readonly connectionString: string;
  /** What was begun is finished and answered; open subscriptions and appenders are told that the server is unavailable. */
  close(): Promise<void>;
}

export interface EventStoreOptions {
  /** Folder of the log; made if it is missing, and locked against every other process. */
  readonly dataDir: string;
  /** 0, the default: any free one. */
  readonly port?: number;
  /** The sum of an append's data, metadata and type names. */
  readonly maxAppendBytes?: number;
}

const HOST = '127.0.0.1';
const DEFAULT_MAX_APPEND_BYTES = 1024 * 1024;
/** The client sends batches in chunks of 3 MiB and one event more; what is larger than EventStoreDB's own 16 MiB ends the call. */
const MAX_MESSAGE_BYTES = 17 * 1024 * 1024;
const CLOSE_TIMEOUT_MS = 500;

/**
 * A single node that speaks EventStoreDB's protocol, on loopback, without TLS and without users.
 * @throws Error when the folder is in use, or the port.
 */
export async function startEventStoreServer({ dataDir, port = 0, maxAppendBytes = DEFAULT_MAX_APPEND_BYTES }: EventStoreOptions): Promise<EventStoreServer> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const unlock = await lockFolder(dataDir);
  let log: EventLog | undefined;
  try {
    log = EventLog.open(dataDir);
    const closing = new AbortController();
    setMaxListeners(0, closing.signal);
    const server = makeServer({ log, maxAppendBytes, closing: closing.signal });
    const bound = await bind(server, port);
    server.addService(gossipService.GossipService, unary('read', () => clusterOf(HOST, bound)));
    return {
      port: bound,
      connectionString: `esdb://${HOST}:${bound}?tls=false`,
      close: async () => {
        closing.abort();
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

/** Delete, Tombstone and all other services are not there: gRPC itself answers that they are not implemented. */
function makeServer(context: AppendContext & ReadContext): grpc.Server {
  const server = new grpc.Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES, 'grpc.max_send_message_length': MAX_MESSAGE_BYTES });
  const { append: plain, batchAppend: batch, read: reading } = streamsService.StreamsService;
  const asItIs = (response: Buffer): Buffer => response;
  const definition = {
    append: { ...plain, requestDeserialize: decodePlainAppend },
    batchAppend: { ...batch, requestDeserialize: decodeBatchAppend, responseSerialize: asItIs },
    read: { ...reading, responseSerialize: asItIs },
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
  });
  server.addService(featuresService.ServerFeaturesService, unary('getSupportedMethods', supportedMethods));
  return server;
}

function unary(name: string, answer: () => unknown): grpc.UntypedServiceImplementation {
  return {
    [name]: (_call: unknown, callback: grpc.sendUnaryData<unknown>) => {
      callback(null, answer());
    },
  };
}

async function bind(server: grpc.Server, port: number): Promise<number> {
  return await new Promise((resolve, reject) => {
    server.bindAsync(`${HOST}:${port}`, grpc.ServerCredentials.createInsecure(), (error, actual) => {
      if (error) reject(error);
      else resolve(actual);
    });
  });
}

/** A reader that takes nothing, or a connection that is stuck, is cut off after a while. */
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
