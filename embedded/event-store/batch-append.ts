import grpc from '@grpc/grpc-js';
import { type AppendContext, perform } from './plain-append.js';
import { Assembly } from './assembly.js';
import { type Share } from './budget.js';
import { batchStatus, serviceError } from './grpc-errors.js';
import { type AppendRequest, encodeAppended, encodeRejected } from './wire.js';

export type BatchAppendCall = grpc.ServerDuplexStream<AppendRequest, Buffer>;

/** A writer whose appends or answers pile up is not read from until there are less. */
const UNANSWERED_BYTES_MAX = 16 * 1024 * 1024;
const UNFINISHED_MAX = 256;

/**
 * One long call for all of a client's appends. Every append whose last part has come gets an answer, matched by its correlation id.
 * The call ends as unavailable, and only after these answers, when the server shuts down.
 */
export function batchAppend(context: AppendContext, call: BatchAppendCall): void {
  const batch = new Batch(context, call);
  const onClosing = (): void => {
    call.pause();
    batch.endIfResponded();
  };
  const release = (): void => {
    batch.forget();
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

/** The appends of one call, from their first part to their answer. */
class Batch {
  private readonly unfinished = new Map<string, Assembly>();
  private readonly share: Share;
  private unanswered = 0;
  private unansweredBytes = 0;
  private halfClosed = false;
  private over = false;

  constructor(
    private readonly context: AppendContext,
    private readonly call: BatchAppendCall,
  ) {
    this.share = context.budget.share(() => {
      this.refuse('The server holds too much for this call: appends that are not finished, or answers that are not taken.');
      // With all the answers that were waiting for their reader.
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
      this.answer(assembly, correlationId);
    } else {
      this.unfinished.set(key, assembly);
      if (this.unfinished.size > UNFINISHED_MAX) this.refuse('Too many appends were begun and not finished.');
    }
  }

  endIfResponded(): void {
    const { call } = this;
    if (this.unanswered > 0 || call.writableEnded) return;
    if (this.context.closing.aborted) call.emit('error', serviceError(grpc.status.UNAVAILABLE, 'The server is shutting down.'));
    else if (this.halfClosed) call.end();
  }

  halfClose(): void {
    this.halfClosed = true;
    this.endIfResponded();
  }

  /** What is unfinished will never be finished. */
  forget(): void {
    for (const assembly of this.unfinished.values()) this.share.add(-assembly.heldBytes);
    this.unfinished.clear();
  }

  private answer(assembly: Assembly, correlationId: Buffer): void {
    const { call } = this;
    const bytes = assembly.heldBytes;
    this.unanswered += 1;
    this.unansweredBytes += bytes;
    if (this.unansweredBytes >= UNANSWERED_BYTES_MAX) call.pause();
    void batchResponse(this.context, assembly, Buffer.from(correlationId)).then((answer) => {
      const settle = (): void => {
        this.settle(bytes);
      };
      if (call.cancelled || call.writableEnded || call.destroyed) settle();
      else call.write(answer, settle);
    });
  }

  private settle(bytes: number): void {
    this.unanswered -= 1;
    this.unansweredBytes -= bytes;
    if (!this.over) this.share.add(-bytes);
    if (this.unansweredBytes < UNANSWERED_BYTES_MAX && !this.context.closing.aborted) this.call.resume();
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
  const outcome = await perform(context, assembly);
  return outcome.kind === 'appended'
    ? encodeAppended(correlationId, stream, outcome.revision, outcome.position)
    : encodeRejected(correlationId, stream, batchStatus(outcome));
}
