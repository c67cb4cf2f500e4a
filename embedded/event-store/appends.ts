import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { isUtf8 } from 'node:buffer';
import { NO_EVENTS } from './append-rules.js';
import { type Appended, type EventLog } from './log.js';
import { batchStatus, callError, type Refusal, serviceError, wrongVersionResponse } from './refusals.js';
import { type AppendOptions, type AppendRequest, encodeAppended, encodeRefused, type ProposedEvent } from './wire.js';

/** What both calls need. */
export interface AppendContext {
  readonly log: EventLog;
  readonly maxAppendBytes: number;
  /** Aborted when the server shuts down. */
  readonly closing: AbortSignal;
}

export type BatchAppendCall = grpc.ServerDuplexStream<AppendRequest, Buffer>;
export type PlainAppendCall = grpc.ServerReadableStream<AppendRequest, streams.AppendResp>;

const STREAM_NAME_BYTES_MAX = 1_024;
const TEXT_BYTES_MAX = 1_024;
/** A writer whose appends or answers pile up is not read from until there are less. */
const UNANSWERED_BYTES_MAX = 16 * 1024 * 1024;
const UNFINISHED_MAX = 256;
/** What an append costs in memory even if it is empty. */
const APPEND_OVERHEAD_BYTES = 512;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** An append whose parts are coming in. What is too large is counted but not kept. */
class Assembly {
  readonly events: ProposedEvent[] = [];
  bytes = 0;

  constructor(
    readonly options: AppendOptions,
    private readonly maxBytes: number,
  ) {}

  get isTooLarge(): boolean {
    return this.bytes > this.maxBytes;
  }

  add(events: readonly ProposedEvent[]): void {
    for (const event of events) {
      this.bytes += event.data.length + event.customMetadata.length + event.type.length * 2;
      if (this.isTooLarge) this.events.length = 0;
      else this.events.push(event);
    }
  }
}

/**
 * One long call for all of a client's appends. Every append whose last part has come gets an answer, matched by its correlation id.
 * The call ends as unavailable, and only after these answers, when the server shuts down.
 */
export function batchAppend(context: AppendContext, call: BatchAppendCall): void {
  const unfinished = new Map<string, Assembly>();
  let unanswered = 0;
  let unansweredBytes = 0;
  let halfClosed = false;
  const endIfAnswered = (): void => {
    if (unanswered > 0 || call.writableEnded) return;
    if (context.closing.aborted) call.emit('error', serviceError(grpc.status.UNAVAILABLE, 'The server is shutting down.'));
    else if (halfClosed) call.end();
  };
  const settle = (bytes: number): void => {
    unanswered -= 1;
    unansweredBytes -= bytes;
    if (unansweredBytes < UNANSWERED_BYTES_MAX && !context.closing.aborted) call.resume();
    endIfAnswered();
  };
  call.on('data', (request: AppendRequest) => {
    const { correlationId } = request;
    const key = correlationId.toString('latin1');
    const assembly = request.options ? new Assembly(request.options, context.maxAppendBytes) : unfinished.get(key);
    if (!assembly) return;
    assembly.add(request.events);
    if (!request.isFinal) {
      unfinished.set(key, assembly);
      if (unfinished.size > UNFINISHED_MAX) call.emit('error', serviceError(grpc.status.RESOURCE_EXHAUSTED, 'Too many appends were begun and not finished.'));
      return;
    }
    unfinished.delete(key);
    const bytes = Math.min(assembly.bytes, context.maxAppendBytes) + APPEND_OVERHEAD_BYTES;
    unanswered += 1;
    unansweredBytes += bytes;
    if (unansweredBytes >= UNANSWERED_BYTES_MAX) call.pause();
    void batchAnswer(context, assembly, correlationId).then((answer) => {
      if (call.cancelled || call.writableEnded) settle(bytes);
      else call.write(answer, () => { settle(bytes); });
    });
  });
  const onClosing = (): void => {
    call.pause();
    endIfAnswered();
  };
  const release = (): void => {
    unfinished.clear();
    context.closing.removeEventListener('abort', onClosing);
  };
  context.closing.addEventListener('abort', onClosing);
  call.on('cancelled', release);
  call.on('error', release);
  call.on('end', () => {
    halfClosed = true;
    release();
    endIfAnswered();
  });
}

async function batchAnswer(context: AppendContext, assembly: Assembly, correlationId: Buffer): Promise<Buffer> {
  const { stream } = assembly.options;
  const outcome = await perform(context, assembly);
  return outcome.kind === 'appended' ? encodeAppended(correlationId, stream, outcome.revision, outcome.position) : encodeRefused(correlationId, stream, batchStatus(outcome));
}

/** One append in a call of its own: options first, then its events. */
export function append(context: AppendContext, call: PlainAppendCall, callback: grpc.sendUnaryData<streams.AppendResp>): void {
  let assembly: Assembly | undefined;
  call.on('data', ({ options, events }: AppendRequest) => {
    if (options) assembly = new Assembly(options, context.maxAppendBytes);
    assembly?.add(events);
  });
  call.on('end', () => {
    if (!assembly) {
      callback(serviceError(grpc.status.INVALID_ARGUMENT, 'An append begins with its options.'));
      return;
    }
    void perform(context, assembly).then((outcome) => {
      if (outcome.kind === 'appended') callback(null, appendedResponse(outcome));
      else if (outcome.kind === 'wrong_revision') callback(null, wrongVersionResponse(outcome.expected, outcome.current));
      else callback(callError(outcome));
    });
  });
}

async function perform({ log, maxAppendBytes }: AppendContext, assembly: Assembly): Promise<Extract<Appended, { kind: 'appended' }> | Refusal> {
  const { stream, expected, deadline } = assembly.options;
  if (deadline !== undefined && deadline < Date.now()) return { kind: 'deadline_passed' };
  if (assembly.isTooLarge) return { kind: 'too_large', maxBytes: maxAppendBytes };
  const fault = faultOf(stream, assembly.events);
  if (fault) return fault;
  try {
    const outcome = await log.append({ stream, expected, events: assembly.events });
    return outcome.kind === 'appended' ? outcome : { kind: 'wrong_revision', expected, current: outcome.current };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? error.message : String(error) };
  }
}

function faultOf(stream: Buffer, events: readonly ProposedEvent[]): Refusal | undefined {
  if (stream.length === 0 || stream.length > STREAM_NAME_BYTES_MAX) return { kind: 'invalid', message: `A stream name has 1 to ${STREAM_NAME_BYTES_MAX} bytes.` };
  for (const { id, type, contentType } of events) {
    if (!UUID.test(id)) return { kind: 'invalid', message: 'An event id is a UUID.' };
    if (type.length === 0) return { kind: 'missing_metadata', property: 'type' };
    // What its readers' decoder would choke on must not get into the log.
    if (!isUtf8(type) || !isUtf8(contentType)) return { kind: 'invalid', message: 'Type and content type are UTF-8.' };
    if (type.length > TEXT_BYTES_MAX || contentType.length > TEXT_BYTES_MAX) return { kind: 'invalid', message: `Type and content type have at most ${TEXT_BYTES_MAX} bytes.` };
  }
  return undefined;
}

function appendedResponse({ revision, position }: Extract<Appended, { kind: 'appended' }>): streams.AppendResp {
  const success = new streams.AppendResp.Success();
  if (revision === NO_EVENTS) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(revision.toString());
  const place = new streams.AppendResp.Position().setCommitPosition(position.toString()).setPreparePosition(position.toString());
  return new streams.AppendResp().setSuccess(success.setPosition(place));
}
