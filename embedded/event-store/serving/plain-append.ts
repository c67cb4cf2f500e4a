import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { DiskFull } from '../append-gate.js';
import { NO_EVENTS } from '../append-rules.js';
import { Assembly } from '../assembly.js';
import { type Budget } from '../budget.js';
import { DamagedLog } from '../storing/damaged-log.js';
import { type Append, type Appended, type EventLog } from '../storing/log.js';
import { callError, encodeWrongVersion, type Rejection, serviceError } from './grpc-errors.js';
import { type AppendRequest } from './wire.js';

/** Dependencies of the plain and the batch append call. */
export interface AppendContext {
  readonly log: EventLog;
  readonly maxAppendBytes: number;
  readonly budget: Budget;
  /** Aborted when the server shuts down. */
  readonly closing: AbortSignal;
}

const NOTHING = Buffer.alloc(0);

/** A plain Append call. Its response is an encoded AppendResp. */
export type PlainAppendCall = grpc.ServerReadableStream<AppendRequest, Buffer>;

/** Handles a call with a single append: the options come first, then the events. Only an append that the caller ends is written. */
export function append(context: AppendContext, call: PlainAppendCall, callback: grpc.sendUnaryData<Buffer>): void {
  const { closing } = context;
  let assembly: Assembly | undefined;
  let isOrdered = true;
  let isOver = false;
  const share = context.budget.share(() => {
    fail(grpc.status.RESOURCE_EXHAUSTED, 'The server holds too much memory for this append, which is not finished.');
  });
  const release = (): void => {
    isOver = true;
    assembly = undefined;
    share.set(0);
    closing.removeEventListener('abort', onClosing);
  };
  const fail = (code: grpc.status, message: string): void => {
    release();
    callback(serviceError(code, message));
  };
  const onClosing = (): void => {
    fail(grpc.status.UNAVAILABLE, 'The server is shutting down.');
  };
  const onEnd = (): void => {
    if (isOver) return;
    const ended = isOrdered ? assembly : undefined;
    release();
    // A caller that cancels ends its side of the call first, and the cancellation arrives together with that end.
    setImmediate(() => {
      if (call.cancelled || Number(call.getDeadline()) <= Date.now()) return;
      if (ended) void respond(context, ended, callback);
      else callback(serviceError(grpc.status.UNKNOWN, 'An append has its options in the first message and an event in each further one.'));
    });
  };
  call.on('data', (request: AppendRequest) => {
    if (isOver) return;
    const isFirst = assembly === undefined;
    isOrdered &&= isFirst ? request.options !== undefined : request.events.length > 0;
    if (request.options && isFirst) assembly = new Assembly(request.options, context.maxAppendBytes);
    assembly?.add(request);
    share.set(assembly?.heldBytes ?? 0);
  });
  call.on('cancelled', release);
  call.on('error', release);
  call.on('end', onEnd);
  closing.addEventListener('abort', onClosing);
}

async function respond(context: AppendContext, assembly: Assembly, callback: grpc.sendUnaryData<Buffer>): Promise<void> {
  const outcome = await performAppend(context, assembly);
  if (outcome.kind === 'appended') callback(null, appendedResponse(outcome));
  else if (outcome.kind === 'wrong_revision') callback(null, encodeWrongVersion(outcome.expected, outcome.current));
  else callback(callError(outcome));
}

/** Appends the events of a complete append, or returns the reason of the rejection. */
export async function performAppend(
  { log }: AppendContext,
  assembly: Assembly,
): Promise<Extract<Appended, { kind: 'appended' }> | Rejection> {
  const { stream = NOTHING, expected, events, rejection } = assembly;
  return rejection ?? (await perform(log, { stream, expected, events }));
}

/** Removes a stream, or returns the reason of the rejection. */
export async function performRemoval(
  { log }: AppendContext,
  removal: Append & Required<Pick<Append, 'removal'>>,
): Promise<Extract<Appended, { kind: 'appended' }> | Rejection> {
  return await perform(log, removal);
}

async function perform(log: EventLog, append: Append): Promise<Extract<Appended, { kind: 'appended' }> | Rejection> {
  const { stream, expected } = append;
  try {
    const outcome = await log.append(append);
    switch (outcome.kind) {
      case 'appended':
        return outcome;
      case 'wrong_revision':
        return { kind: 'wrong_revision', expected, current: outcome.current };
      case 'stream_deleted':
        return { kind: 'stream_deleted', stream: stream.toString() };
      case 'other_order':
        return { kind: 'unimplemented', message: 'Repetitions of known events in another order are not implemented.' };
      case 'nothing_to_deleted':
        return { kind: 'unimplemented', message: 'An append of no events to a deleted stream is not implemented.' };
    }
  } catch (error) {
    return {
      kind: error instanceof DiskFull || error instanceof DamagedLog ? 'refused' : 'failed',
      message: error instanceof Error ? error.message : String(error),
    };
  }
}

function appendedResponse({ revision, position }: Extract<Appended, { kind: 'appended' }>): Buffer {
  const success = new streams.AppendResp.Success();
  if (revision === NO_EVENTS) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(revision.toString());
  if (position === undefined) success.setNoPosition(new shared.Empty());
  else success.setPosition(new streams.AppendResp.Position().setCommitPosition(`${position}`).setPreparePosition(`${position}`));
  return Buffer.from(new streams.AppendResp().setSuccess(success).serializeBinary());
}
