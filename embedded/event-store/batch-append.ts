import grpc from '@grpc/grpc-js';
import { type AppendContext, performAppend } from './plain-append.js';
import { Assembly } from './assembly.js';
import { type Share } from './budget.js';
import { batchStatus, serviceError } from './grpc-errors.js';
import { type AppendRequest, encodeAppended, encodeRejected } from './wire.js';

export type BatchAppendCall = grpc.ServerDuplexStream<AppendRequest, Buffer>;

/** Above this size of appends without a response, the server stops reading from the writer (backpressure). */
const PENDING_BYTES_MAX = 16 * 1024 * 1024;
const UNFINISHED_MAX = 256;

/**
 * Handles the long call that carries all appends of a client. Each append gets a response with its correlation id after its last
 * request. When the server shuts down, the call ends with UNAVAILABLE after the responses of all complete appends.
 */
export function batchAppend(context: AppendContext, call: BatchAppendCall): void {
  const batch = new Batch(context, call);
  const onClosing = (): void => {
    call.pause();
    batch.endIfResponded();
  };
  const release = (): void => {
    batch.dropUnfinished();
    context.closing.removeEventListener('abort', onClosing);
  };
  context.closing.addEventListener('abort', onClosing);
  call.on('data', (request: AppendRequest) => {
    batch.take(request);
  });
  call.on('cancelled', release);
  call.on('error', release);
  call.on('end', () => {
    release();
    batch.halfClose();
  });
}

/** The appends of one call, from their first request to their response. */
class Batch {
  private readonly unfinished = new Map<string, Assembly>();
  private readonly share: Share;
  private pending = 0;
  private pendingBytes = 0;
  private halfClosed = false;
  private over = false;

  constructor(
    private readonly context: AppendContext,
    private readonly call: BatchAppendCall,
  ) {
    this.share = context.budget.share(() => {
      this.refuse('The server holds too much memory for this call: finish appends and read their responses.');
      // Destroying the call also frees the responses that the client has not read.
      call.destroy();
    });
  }

  take(request: AppendRequest): void {
    if (this.over) return;
    const { correlationId } = request;
    const key = correlationId.toString('latin1');
    const begun = this.unfinished.get(key);
    const assembly = request.options ? new Assembly(request.options, this.context.maxAppendBytes) : begun;
    if (!assembly) return;
    if (begun) this.share.add(-begun.heldBytes);
    assembly.add(request);
    this.share.add(assembly.heldBytes);
    if (request.isFinal) {
      this.unfinished.delete(key);
      this.respond(assembly, correlationId);
    } else {
      this.unfinished.set(key, assembly);
      if (this.unfinished.size > UNFINISHED_MAX) this.refuse(`More than ${UNFINISHED_MAX} appends of this call are not finished.`);
    }
  }

  endIfResponded(): void {
    const { call } = this;
    if (this.pending > 0 || call.writableEnded) return;
    if (this.context.closing.aborted) call.emit('error', serviceError(grpc.status.UNAVAILABLE, 'The server is shutting down.'));
    else if (this.halfClosed) call.end();
  }

  halfClose(): void {
    this.halfClosed = true;
    this.endIfResponded();
  }

  /** Drops the unfinished appends, which will never be completed. */
  dropUnfinished(): void {
    for (const assembly of this.unfinished.values()) this.share.add(-assembly.heldBytes);
    this.unfinished.clear();
  }

  private respond(assembly: Assembly, correlationId: Buffer): void {
    const { call } = this;
    const bytes = assembly.heldBytes;
    this.pending += 1;
    this.pendingBytes += bytes;
    if (this.pendingBytes >= PENDING_BYTES_MAX) call.pause();
    void batchResponse(this.context, assembly, Buffer.from(correlationId)).then((response) => {
      const complete = (): void => {
        this.complete(bytes);
      };
      if (call.cancelled || call.writableEnded || call.destroyed) complete();
      else call.write(response, complete);
    });
  }

  private complete(bytes: number): void {
    this.pending -= 1;
    this.pendingBytes -= bytes;
    if (!this.over) this.share.add(-bytes);
    if (this.pendingBytes < PENDING_BYTES_MAX && !this.context.closing.aborted) this.call.resume();
    this.endIfResponded();
  }

  private refuse(message: string): void {
    this.over = true;
    this.unfinished.clear();
    this.share.set(0);
    this.call.emit('error', serviceError(grpc.status.RESOURCE_EXHAUSTED, message));
  }
}

async function batchResponse(context: AppendContext, assembly: Assembly, correlationId: Buffer): Promise<Buffer> {
  const { stream } = assembly.options;
  const outcome = await performAppend(context, assembly);
  return outcome.kind === 'appended'
    ? encodeAppended(correlationId, stream, outcome.revision, outcome.position)
    : encodeRejected(correlationId, stream, batchStatus(outcome));
}
