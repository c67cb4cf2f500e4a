import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { NO_EVENTS } from './append-rules.js';
import { type Filter, filterOf } from './filter.js';
import { STREAM_NAME_BYTES_MAX } from './limits.js';
import { type EventLog } from './log.js';
import { counter, encoded, isOpen, type ReadCall, type ReadContext, send, streamOf } from './read-call.js';
import { serviceError } from './grpc-errors.js';
import { subscribe } from './subscriptions.js';
import { type StoredRecord } from './tables.js';
import { TimeSlice } from './time-slice.js';

type Options = streams.ReadReq.Options;

/** Pages from `first` to `last`, both inclusive, upwards or downwards. */
interface Span {
  readonly first: number;
  readonly last: number;
  page(from: number, to: number): StoredRecord[];
}

/** Answers a read or a subscription; it ends the call, with an error status where there is a reason. */
export async function read(context: ReadContext, call: ReadCall): Promise<void> {
  const onClosing = (): void => {
    call.emit('error', serviceError(grpc.status.UNAVAILABLE, 'The server is shutting down.'));
  };
  context.closing.addEventListener('abort', onClosing);
  try {
    await answer(context, call);
    if (isOpen(call)) call.end();
  } catch (error) {
    const code = error instanceof SyntaxError ? grpc.status.INVALID_ARGUMENT : grpc.status.INTERNAL;
    if (isOpen(call)) call.emit('error', serviceError(code, error instanceof Error ? error.message : String(error)));
  } finally {
    context.closing.removeEventListener('abort', onClosing);
  }
}

async function answer(context: ReadContext, call: ReadCall): Promise<void> {
  const options = call.request.getOptions();
  if (!options || options.hasAll() === options.hasStream()) {
    call.emit('error', serviceError(grpc.status.INVALID_ARGUMENT, 'A read is of one stream or of all.'));
    return;
  }
  const nameBytes = streamOf(options).length;
  if (options.hasStream() && (nameBytes === 0 || nameBytes > STREAM_NAME_BYTES_MAX)) {
    call.emit('error', serviceError(grpc.status.INVALID_ARGUMENT, `A stream name has 1 to ${STREAM_NAME_BYTES_MAX} bytes.`));
    return;
  }
  if (options.hasSubscription()) await subscribe(context, call, options);
  else if (options.hasAll()) await sendSpan(call, allSpan(context.log, options), options, filterOf(options.getFilter()));
  else if (context.log.lastRevision(streamOf(options)) === NO_EVENTS) await sendNotFound(call, streamOf(options));
  else await sendSpan(call, streamSpan(context.log, options), options, undefined);
}

function isBackwards(options: Options): boolean {
  return options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
}

/** A span ends where the log ended when it was asked for: a read ends also while others append. */
function streamSpan(log: EventLog, options: Options): Span | undefined {
  const stream = streamOf(options);
  const wanted = options.getStream();
  const newest = log.lastRevision(stream);
  const page = (from: number, to: number): StoredRecord[] => log.readStream(stream, from, to);
  if (isBackwards(options)) {
    const first = wanted?.hasRevision() ? Math.min(counter(wanted.getRevision()), newest) : wanted?.hasStart() ? 0 : newest;
    return { first, last: 0, page };
  }
  const first = wanted?.hasRevision() ? counter(wanted.getRevision()) : 0;
  return wanted?.hasEnd() || first > newest ? undefined : { first, last: newest, page };
}

/** Positions are inclusive forwards and exclusive backwards. */
function allSpan(log: EventLog, options: Options): Span | undefined {
  const wanted = options.getAll();
  const newest = log.head;
  const given = wanted?.getPosition();
  const position = given ? counter(given.getCommitPosition()) : undefined;
  const page = (from: number, to: number): StoredRecord[] => log.readAll(from, to);
  if (isBackwards(options)) {
    const first = wanted?.hasStart() ? 0 : Math.min(position === undefined ? newest : position - 1, newest);
    return first < 1 ? undefined : { first, last: 1, page };
  }
  const first = position ?? 0;
  return wanted?.hasEnd() || first > newest ? undefined : { first, last: newest, page };
}

async function sendSpan(call: ReadCall, span: Span | undefined, options: Options, filter: Filter | undefined): Promise<void> {
  let left = BigInt(options.getCount());
  if (!span || left === 0n) return;
  const isStream = options.hasStream();
  const step = span.first <= span.last ? 1 : -1;
  let next = span.first;
  const slice = new TimeSlice();
  while (isOpen(call)) {
    const records = span.page(next, span.last);
    if (records.length === 0) return;
    const letGo = (): void => {
      records.length = 0;
    };
    for (const record of records) {
      next = (isStream ? next : record.position) + step;
      if (slice.isOver) await slice.yield();
      if (filter && !filter(record.bytes)) continue;
      await send(call, record.bytes, letGo);
      left -= 1n;
      if (left === 0n) return;
    }
    if (step > 0 ? next > span.last : next < span.last) return;
    await slice.yield();
  }
}

async function sendNotFound(call: ReadCall, stream: Buffer): Promise<void> {
  const identifier = new shared.StreamIdentifier().setStreamName(stream);
  await send(
    call,
    encoded(new streams.ReadResp().setStreamNotFound(new streams.ReadResp.StreamNotFound().setStreamIdentifier(identifier))),
  );
}
