import grpc from '@grpc/grpc-js';
import { type AppendContext, performAppend } from './plain-append.js';
import { Assembly } from '../assembly.js';
import { type Share } from '../budget.js';
import { batchStatus, type Rejection, serviceError } from './grpc-errors.js';
import { UNFINISHED_APPEND_MS } from '../limits.js';
import { structuredUuid } from './uuid.js';
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
  const takeNoMore = (): void => {
    batch.dropUnfinished();
    context.closing.removeEventListener('abort', onClosing);
  };
  const release = (): void => {
    takeNoMore();
    batch.dropUnsent();
  };
  context.closing.addEventListener('abort', onClosing);
  call.on('data', (request: AppendRequest) => {
    batch.take(request);
  });
  call.on('cancelled', release);
  call.on('error', release);
  call.on('end', () => {
    takeNoMore();
    batch.halfClose();
  });
}

/** An append whose last request has not been received. */
interface Unfinished {
  readonly assembly: Assembly;
  readonly timer: NodeJS.Timeout;
}

/** The appends of one call, from their first request to their response. */
class Batch {
  /** By correlation id, in the canonical form of a UUID. */
  private readonly unfinished = new Map<string, Unfinished>();
  /** The ends of the responses that are being sent. */
  private readonly sending = new Set<() => void>();
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
    const key = request.correlation;
    const begun = key === undefined ? undefined : this.unfinished.get(key);
    // The options of the first part are the ones that count.
    const assembly = begun?.assembly ?? (request.options && new Assembly(request.options, this.context.maxAppendBytes));
    if (!assembly) return;
    if (begun) this.share.add(-assembly.heldBytes);
    assembly.add(request);
    this.share.add(assembly.heldBytes);
    if (key === undefined)
      this.respond(assembly, request.correlationId, { kind: 'invalid', message: 'The correlation id is missing or not a UUID.' });
    else if (request.isFinal || assembly.rejection) {
      if (begun) this.forget(key, begun);
      this.respond(assembly, request.correlationId);
    } else if (!begun) this.begin(key, assembly);
  }

  endIfResponded(): void {
    const { call } = this;
    if (this.pending > 0 || call.writableEnded || call.cancelled) return;
    if (this.context.closing.aborted) call.emit('error', serviceError(grpc.status.UNAVAILABLE, 'The server is shutting down.'));
    else if (this.halfClosed) call.end();
  }

  halfClose(): void {
    this.halfClosed = true;
    this.endIfResponded();
  }

  /** Drops the unfinished appends, which will never be completed. */
  dropUnfinished(): void {
    for (const [key, begun] of this.unfinished) {
      this.forget(key, begun);
      this.share.add(-begun.assembly.heldBytes);
    }
  }

  /** Gives back the memory of responses that gRPC no longer sends: it never says of a call that was cancelled that a response is sent. */
  dropUnsent(): void {
    for (const complete of this.sending) complete();
  }

  private begin(key: string, assembly: Assembly): void {
    const timer = setTimeout(
      () => {
        this.unfinished.delete(key);
        // EventStoreDB does not repeat the form of the id here.
        this.respond(assembly, Buffer.from(structuredUuid(key).serializeBinary()), { kind: 'deadline_passed' });
      },
      Math.min(assembly.remainingMs, UNFINISHED_APPEND_MS),
    );
    this.unfinished.set(key, { assembly, timer });
    if (this.unfinished.size > UNFINISHED_MAX) this.refuse(`More than ${UNFINISHED_MAX} appends of this call are not finished.`);
  }

  private forget(key: string, { timer }: Unfinished): void {
    clearTimeout(timer);
    this.unfinished.delete(key);
  }

  /** @param rejection a reason to reject the append that does not show from its content */
  private respond(assembly: Assembly, correlationId: Buffer, rejection?: Rejection): void {
    const { call } = this;
    const bytes = assembly.heldBytes;
    this.pending += 1;
    this.pendingBytes += bytes;
    if (this.pendingBytes >= PENDING_BYTES_MAX) call.pause();
    void batchResponse(this.context, assembly, Buffer.from(correlationId), rejection).then((response) => {
      const complete = (): void => {
        if (this.sending.delete(complete)) this.complete(bytes);
      };
      this.sending.add(complete);
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
    this.dropUnfinished();
    this.share.set(0);
    this.call.emit('error', serviceError(grpc.status.RESOURCE_EXHAUSTED, message));
  }
}

async function batchResponse(context: AppendContext, assembly: Assembly, correlationId: Buffer, rejection?: Rejection): Promise<Buffer> {
  const outcome = rejection ?? (await performAppend(context, assembly));
  return outcome.kind === 'appended'
    ? encodeAppended(correlationId, assembly.stream ?? Buffer.alloc(0), outcome.revision, outcome.position)
    : encodeRejected(correlationId, assembly.stream, batchStatus(outcome));
}
