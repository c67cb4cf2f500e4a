import type streams from '@eventstore/db-client/generated/streams_pb.js';
import type grpc from '@grpc/grpc-js';
import { STALLED_READER_MS } from './limits.js';
import { type EventLog } from './log.js';

/** What goes out is encoded already. */
export type ReadCall = grpc.ServerWritableStream<streams.ReadReq, Buffer>;

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
 * Waits while the reader is slower than the disk: what it has not taken yet stays there, and not in memory.
 * @param onStalled lets go of what comes after, when that takes long
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

/** A position or revision as the log counts. The wire's 64 bits may be beyond all it will ever reach, and then are the largest it could. */
export function counter(text: string): number {
  const value = BigInt(text);
  return value > Number.MAX_SAFE_INTEGER - 1 ? Number.MAX_SAFE_INTEGER - 1 : Number(value);
}

export function streamOf(options: streams.ReadReq.Options): Buffer {
  return Buffer.from(options.getStream()?.getStreamIdentifier()?.getStreamName_asU8() ?? []);
}
