import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { NO_EVENTS } from '../append-rules.js';
import { DamagedLog } from '../storing/damaged-log.js';
import { deletedError, serviceError, RefusedCall, TombstonedStream } from '../serving/grpc-errors.js';
import { type EventLog } from '../storing/log.js';
import { encoded, isOpen, type ReadCall, type ReadContext, send } from './read-call.js';
import { type AllRequest, positionIn, readRequestOf, type StreamRequest } from './requested-read.js';
import { type ReadForm, readFormOf } from './read-form.js';
import { subscribe } from './subscriptions.js';
import { type StoredRecord } from '../storing/tables.js';
import { TimeSlice } from '../storing/time-slice.js';

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
    if (isOpen(call)) call.emit('error', failureOf(error));
  } finally {
    context.closing.removeEventListener('abort', onClosing);
  }
}

function failureOf(error: unknown): grpc.ServiceError {
  if (error instanceof TombstonedStream) return deletedError(error.stream);
  return serviceError(codeOf(error), error instanceof Error ? error.message : String(error));
}

function codeOf(error: unknown): grpc.status {
  if (error instanceof RefusedCall) return error.code;
  return error instanceof DamagedLog ? grpc.status.DATA_LOSS : grpc.status.INTERNAL;
}

async function serve(context: ReadContext, call: ReadCall): Promise<void> {
  const request = readRequestOf(call.request.request);
  if (request.count === undefined) await subscribe(context, call, request);
  else if (request.kind === 'all') await sendRange(call, allRange(context.log, request), request, readFormOf(context.log, request));
  else await readStream(context.log, call, request);
}

async function readStream(log: EventLog, call: ReadCall, request: StreamRequest): Promise<void> {
  if (log.isTombstoned(request.stream)) throw new TombstonedStream(request.stream.toString());
  const newest = log.lastRevision(request.stream);
  if (newest === NO_EVENTS) {
    const notFound = new streams.ReadResp.StreamNotFound();
    notFound.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(request.stream));
    await send(call, encoded(new streams.ReadResp().setStreamNotFound(notFound)));
    return;
  }
  const range = streamRange(log, request, newest);
  if (request.wantsPositions && !range && !request.isBackwards)
    await send(call, encoded(new streams.ReadResp().setFirstStreamPosition(String(newest + 1))));
  await sendRange(call, range, request, readFormOf(log, request));
  if (request.wantsPositions) await send(call, encoded(new streams.ReadResp().setLastStreamPosition(String(newest))));
}

/** Returns the range of a stream to read. It ends at the newest event at this moment, so that a read ends even while others append. */
function streamRange(log: EventLog, { stream, start, isBackwards }: StreamRequest, newest: number): Range | undefined {
  if (start === 'nowhere') return undefined;
  const page = (from: number, to: number): StoredRecord[] => log.readStream(stream, from, to);
  const oldest = log.firstRevision(stream);
  if (isBackwards) {
    const first = start === 'end' ? newest : start === 'start' ? 0 : Math.min(start, newest);
    return first < oldest ? undefined : { first, last: oldest, page };
  }
  const first = Math.max(typeof start === 'number' ? start : 0, oldest);
  return first > newest ? undefined : { first, last: newest, page };
}

/** Returns the range of $all to read. A given position is inclusive for a forward read and exclusive for a backward read. */
function allRange(log: EventLog, { start, isBackwards }: AllRequest): Range | undefined {
  const newest = log.head;
  const position = typeof start === 'object' ? positionIn(log, start, isBackwards) : undefined;
  const page = (from: number, to: number): StoredRecord[] => log.readAll(from, to);
  if (isBackwards) {
    const first = start === 'end' ? newest : Math.min((position ?? 1) - 1, newest);
    return first < 1 ? undefined : { first, last: 1, page };
  }
  const first = position ?? 0;
  return start === 'end' || start === 'nowhere' || first > newest ? undefined : { first, last: newest, page };
}

async function sendRange(call: ReadCall, range: Range | undefined, request: StreamRequest | AllRequest, form: ReadForm): Promise<void> {
  if (!range) return;
  const isStream = request.kind === 'stream';
  const filter = isStream ? undefined : request.filter;
  const step = range.first <= range.last ? 1 : -1;
  let left = request.count ?? 0;
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
      await send(call, form(record.bytes), dropPage);
      left -= 1;
      if (left === 0) return;
    }
    if (step > 0 ? next > range.last : next < range.last) return;
    await slice.yield();
  }
}
