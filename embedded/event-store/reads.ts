import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { NO_EVENTS } from './append-rules.js';
import { DamagedLog } from './damaged-log.js';
import { type Filter, filterOf } from './filter.js';
import { STREAM_NAME_BYTES_MAX } from './limits.js';
import { type EventLog } from './log.js';
import { counter, encoded, isOpen, type ReadCall, type ReadContext, send, streamOf } from './read-call.js';
import { serviceError } from './grpc-errors.js';
import { subscribe } from './subscriptions.js';
import { type StoredRecord } from './tables.js';
import { TimeSlice } from './time-slice.js';

type Options = streams.ReadReq.Options;

/** A range to read in pages, from `first` to `last`, both inclusive, upwards or downwards. */
interface Range {
  readonly first: number;
  readonly last: number;
  page(from: number, to: number): StoredRecord[];
}

/** Serves a read or a subscription and ends the call, with an error status if it failed. */
export async function read(context: ReadContext, call: ReadCall): Promise<void> {
  const onClosing = (): void => {
    call.emit('error', serviceError(grpc.status.UNAVAILABLE, 'The server is shutting down.'));
  };
  context.closing.addEventListener('abort', onClosing);
  try {
    await serve(context, call);
    if (isOpen(call)) call.end();
  } catch (error) {
    if (error instanceof DamagedLog) context.log.refuseAppends(error);
    const code = codeOf(error);
    if (isOpen(call)) call.emit('error', serviceError(code, error instanceof Error ? error.message : String(error)));
  } finally {
    context.closing.removeEventListener('abort', onClosing);
  }
}

function codeOf(error: unknown): grpc.status {
  if (error instanceof DamagedLog) return grpc.status.DATA_LOSS;
  return error instanceof SyntaxError ? grpc.status.INVALID_ARGUMENT : grpc.status.INTERNAL;
}

async function serve(context: ReadContext, call: ReadCall): Promise<void> {
  const options = call.request.getOptions();
  if (!options || options.hasAll() === options.hasStream()) {
    call.emit('error', serviceError(grpc.status.INVALID_ARGUMENT, 'A read needs either a stream or $all.'));
    return;
  }
  const nameBytes = streamOf(options).length;
  if (options.hasStream() && (nameBytes === 0 || nameBytes > STREAM_NAME_BYTES_MAX)) {
    call.emit('error', serviceError(grpc.status.INVALID_ARGUMENT, `A stream name must have 1 to ${STREAM_NAME_BYTES_MAX} bytes.`));
    return;
  }
  if (options.hasSubscription()) await subscribe(context, call, options);
  else if (options.hasAll()) await sendRange(call, allRange(context.log, options), options, filterOf(options.getFilter()));
  else if (context.log.lastRevision(streamOf(options)) === NO_EVENTS) await sendNotFound(call, streamOf(options));
  else await sendRange(call, streamRange(context.log, options), options, undefined);
}

function isBackwards(options: Options): boolean {
  return options.getReadDirection() === streams.ReadReq.Options.ReadDirection.BACKWARDS;
}

/** Returns the range of a stream to read. It ends at the newest event at this moment, so that a read ends even while others append. */
function streamRange(log: EventLog, options: Options): Range | undefined {
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

/** Returns the range of $all to read. A given position is inclusive for a forward read and exclusive for a backward read. */
function allRange(log: EventLog, options: Options): Range | undefined {
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

async function sendRange(call: ReadCall, range: Range | undefined, options: Options, filter: Filter | undefined): Promise<void> {
  let left = BigInt(options.getCount());
  if (!range || left === 0n) return;
  const isStream = options.hasStream();
  const step = range.first <= range.last ? 1 : -1;
  let next = range.first;
  const slice = new TimeSlice();
  while (isOpen(call)) {
    const records = range.page(next, range.last);
    if (records.length === 0) return;
    const dropPage = (): void => {
      records.length = 0;
    };
    for (const record of records) {
      next = (isStream ? next : record.position) + step;
      if (slice.isOver) await slice.yield();
      if (filter && !filter(record.bytes)) continue;
      await send(call, record.bytes, dropPage);
      left -= 1n;
      if (left === 0n) return;
    }
    if (step > 0 ? next > range.last : next < range.last) return;
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
