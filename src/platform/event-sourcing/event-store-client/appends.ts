import { randomUUID } from 'node:crypto';
import { type ExactEvent, type NewEvent } from '../recorded-event.js';
import { type AppendResponse, encodeAppend } from './messages/append-message.js';
import { type AppendCall } from './connecting/connection.js';
import { APPEND, callFailure, PermanentStoreError } from './store-errors.js';

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
