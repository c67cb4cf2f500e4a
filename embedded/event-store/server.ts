import featuresService from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import streamsService from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { mkdirSync } from 'node:fs';
import { append, batchAppend } from './appends.js';
import { EventLog } from './log.js';
import { read, type ReadResponse } from './reads.js';
import { encodeRecordedEvent } from './wire.js';

export interface EventStoreServer {
  readonly port: number;
  readonly connectionString: string;
  close(): Promise<void>;
}

export interface EventStoreOptions {
  /** Folder of the log; no other process may have it open. */
  readonly dataDir: string;
  /** 0, the default: any free one. */
  readonly port?: number;
}

/** The client sends batches in chunks of up to 3 MiB. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
const CLOSE_TIMEOUT_MS = 250;

/** A single node that speaks EventStoreDB's protocol, on loopback, without TLS. */
export async function startEventStoreServer({ dataDir, port = 0 }: EventStoreOptions): Promise<EventStoreServer> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const log = EventLog.open(dataDir, encodeRecordedEvent);
  const server = new grpc.Server({ 'grpc.max_receive_message_length': MAX_MESSAGE_BYTES, 'grpc.max_send_message_length': MAX_MESSAGE_BYTES });
  addStreams(server, log);
  addFeatures(server);
  const bound = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`127.0.0.1:${port}`, grpc.ServerCredentials.createInsecure(), (error, actual) => {
      if (error) reject(error);
      else resolve(actual);
    });
  });
  return {
    port: bound,
    connectionString: `esdb://127.0.0.1:${bound}?tls=false`,
    close: async () => {
      await shutDown(server);
      await log.close();
    },
  };
}

function addStreams(server: grpc.Server, log: EventLog): void {
  const service = streamsService.StreamsService;
  const definition = {
    append: service.append,
    batchAppend: service.batchAppend,
    read: {
      ...service.read,
      responseSerialize: (response: ReadResponse) => (Buffer.isBuffer(response) ? response : Buffer.from(response.serializeBinary())),
    },
  };
  server.addService(definition, {
    append: (call: grpc.ServerReadableStream<streams.AppendReq, streams.AppendResp>, callback: grpc.sendUnaryData<streams.AppendResp>) => {
      append(log, call, callback);
    },
    batchAppend: (call: grpc.ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>) => {
      batchAppend(log, call);
    },
    read: (call: grpc.ServerWritableStream<streams.ReadReq, ReadResponse>) => {
      void read(log, call);
    },
  });
}

function addFeatures(server: grpc.Server): void {
  const service = 'event_store.client.streams.Streams';
  const method = (name: string, list: string[]): features.SupportedMethod =>
    new features.SupportedMethod().setMethodName(name).setServiceName(service).setFeaturesList(list);
  const methods = [method('append', []), method('batchappend', ['deadline_duration']), method('read', ['position', 'events'])];
  server.addService(featuresService.ServerFeaturesService, {
    getSupportedMethods: (_call: unknown, callback: grpc.sendUnaryData<features.SupportedMethods>) => {
      callback(null, new features.SupportedMethods().setEventStoreServerVersion('24.6.0').setMethodsList(methods));
    },
  });
}

/** Short calls are answered; those that never end by themselves break off as unavailable after a while. */
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
