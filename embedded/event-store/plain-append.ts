import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { isUtf8 } from 'node:buffer';
import { DiskFull } from './append-gate.js';
import { NO_EVENTS } from './append-rules.js';
import { Assembly } from './assembly.js';
import { type Budget } from './budget.js';
import { DamagedLog } from './damaged-log.js';
import { STREAM_NAME_BYTES_MAX, TEXT_BYTES_MAX } from './limits.js';
import { type Appended, type EventLog } from './log.js';
import { callError, type Rejection, serviceError, wrongVersionResponse } from './grpc-errors.js';
import { type AppendRequest, type ProposedEvent } from './wire.js';

/** Dependencies of the plain and the batch append call. */
export interface AppendContext {
  readonly log: EventLog;
  readonly maxAppendBytes: number;
  readonly budget: Budget;
  /** Aborted when the server shuts down. */
  readonly closing: AbortSignal;
}

export type PlainAppendCall = grpc.ServerReadableStream<AppendRequest, streams.AppendResp>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Handles a call with a single append: the options come first, then the events. */
export function append(context: AppendContext, call: PlainAppendCall, callback: grpc.sendUnaryData<streams.AppendResp>): void {
  let assembly: Assembly | undefined;
  const share = context.budget.share(() => {
    assembly = undefined;
    callback(serviceError(grpc.status.RESOURCE_EXHAUSTED, 'The server holds too much memory for this append, which is not finished.'));
  });
  call.on('data', (request: AppendRequest) => {
    if (request.options) assembly = new Assembly(request.options, context.maxAppendBytes);
    assembly?.add(request);
    share.set(assembly?.heldBytes ?? 0);
  });
  for (const ending of ['cancelled', 'error', 'end']) {
    call.on(ending, () => {
      share.set(0);
    });
  }
  call.on('end', () => {
    if (!assembly) {
      callback(serviceError(grpc.status.INVALID_ARGUMENT, 'The first message of an append must hold its options.'));
      return;
    }
    void performAppend(context, assembly).then((outcome) => {
      if (outcome.kind === 'appended') callback(null, appendedResponse(outcome));
      else if (outcome.kind === 'wrong_revision') callback(null, wrongVersionResponse(outcome.expected, outcome.current));
      else callback(callError(outcome));
    });
  });
}

/** Appends the events of a complete append, or returns the reason of the rejection. */
export async function performAppend(
  { log, maxAppendBytes }: AppendContext,
  assembly: Assembly,
): Promise<Extract<Appended, { kind: 'appended' }> | Rejection> {
  const { stream, expected, deadline } = assembly.options;
  if (deadline !== undefined && deadline < Date.now()) return { kind: 'deadline_passed' };
  if (assembly.isTooLarge) return { kind: 'too_large', maxBytes: maxAppendBytes };
  const invalid = validate(stream, assembly.events);
  if (invalid) return invalid;
  try {
    const outcome = await log.append({ stream, expected, events: assembly.events });
    return outcome.kind === 'appended' ? outcome : { kind: 'wrong_revision', expected, current: outcome.current };
  } catch (error) {
    return {
      kind: error instanceof DiskFull || error instanceof DamagedLog ? 'refused' : 'failed',
      message: error instanceof Error ? error.message : String(error),
    };
  }
}

function validate(stream: Buffer, events: readonly ProposedEvent[]): Rejection | undefined {
  if (stream.length === 0 || stream.length > STREAM_NAME_BYTES_MAX)
    return { kind: 'invalid', message: `A stream name must have 1 to ${STREAM_NAME_BYTES_MAX} bytes.` };
  for (const { id, type, contentType } of events) {
    if (!UUID.test(id)) return { kind: 'invalid', message: 'An event id must be a UUID.' };
    if (type.length === 0) return { kind: 'missing_metadata', property: 'type' };
    // Readers could not decode other bytes, so they must not get into the log.
    if (!isUtf8(type) || !isUtf8(contentType)) return { kind: 'invalid', message: 'Type and content type must be UTF-8.' };
    if (type.length > TEXT_BYTES_MAX || contentType.length > TEXT_BYTES_MAX)
      return { kind: 'invalid', message: `Type and content type must have at most ${TEXT_BYTES_MAX} bytes.` };
  }
  return undefined;
}

function appendedResponse({ revision, position }: Extract<Appended, { kind: 'appended' }>): streams.AppendResp {
  const success = new streams.AppendResp.Success();
  if (revision === NO_EVENTS) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(revision.toString());
  const wirePosition = new streams.AppendResp.Position().setCommitPosition(position.toString()).setPreparePosition(position.toString());
  return new streams.AppendResp().setSuccess(success.setPosition(wirePosition));
}
