import type grpc from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { type NewEvent } from '../recorded-event.js';
import { type AppendResponse, encodeAppend } from './append-message.js';
import { callFailure, PermanentStoreError } from './permanent-store-error.js';

export type AppendCall = grpc.ClientDuplexStream<Buffer, AppendResponse>;

interface Pending {
  resolve(this: void, answer: AppendResponse): void;
  reject(this: void, error: Error): void;
}

/** As the client's own: the store gives up what it has not begun by then. */
const DEADLINE_MS = 10_000;

/** One call for the appends of a client, and those of its answers that are waited for. */
export class Appends {
  private readonly pending = new Map<string, Pending>();
  private failure: Error | undefined;

  constructor(
    private readonly call: AppendCall,
    onEnd: () => void,
  ) {
    const end = (error = new Error('The store has ended the call for appends.')): void => {
      const failure = callFailure(error);
      this.failure ??= failure;
      for (const { reject } of this.pending.values()) reject(failure);
      this.pending.clear();
      onEnd();
    };
    call.on('error', end).on('end', end);
    call.on('data', (answer: AppendResponse) => {
      this.pending.get(answer.correlationId)?.resolve(answer);
      this.pending.delete(answer.correlationId);
    });
  }

  /** @throws PermanentStoreError for events that cannot be encoded, or what ended the call */
  async send(stream: string, events: readonly NewEvent[], expectedRevision: bigint | undefined): Promise<AppendResponse> {
    if (this.failure) throw this.failure;
    const correlationId = randomUUID();
    const message = encoded(() => encodeAppend(correlationId, stream, expectedRevision, Date.now() + DEADLINE_MS, events));
    return await new Promise((resolve, reject) => {
      this.pending.set(correlationId, { resolve, reject });
      this.call.write(message);
    });
  }
}

/** Sending again what cannot be sent at all would go on for ever. */
function encoded(encode: () => Buffer): Buffer {
  try {
    return encode();
  } catch (cause) {
    throw new PermanentStoreError('An event cannot be encoded.', { cause });
  }
}
