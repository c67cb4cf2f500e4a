import type streams from '@eventstore/db-client/generated/streams_pb.js';
import type grpc from '@grpc/grpc-js';
import { STALLED_READER_MS } from '../limits.js';
import { type EventLog } from '../storing/log.js';

/** A Read call. Its responses are written as encoded bytes. */
export type ReadCall = grpc.ServerWritableStream<DecodedRequest, Buffer>;

/** The request, or undefined for bytes that are not a message. gRPC itself would respond to those with another status than EventStoreDB. */
export interface DecodedRequest {
  readonly request: streams.ReadReq | undefined;
}

export interface ReadContext {
  readonly log: EventLog;
  /** Aborted when the server shuts down. */
  readonly closing: AbortSignal;
}

const ENDINGS = ['drain', 'cancelled', 'error', 'close'];

export function isOpen(call: ReadCall): boolean {
  return !call.cancelled && !call.writableEnded;
}

/**
 * Sends a response, and waits while the reader is slower than the disk, so that unread events stay on disk and not in memory.
 * @param onStalled called when the wait takes long, to drop events that are buffered for later
 */
export async function send(call: ReadCall, response: Buffer, onStalled?: () => void): Promise<void> {
  if (!isOpen(call) || call.write(response)) return;
  await new Promise<void>((resolve) => {
    const timer = onStalled && setTimeout(onStalled, STALLED_READER_MS);
    const done = (): void => {
      clearTimeout(timer);
      for (const event of ENDINGS) call.off(event, done);
      resolve();
    };
    for (const event of ENDINGS) call.on(event, done);
  });
}

export function encoded(response: streams.ReadResp): Buffer {
  return Buffer.from(response.serializeBinary());
}
