import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import { type Message } from 'google-protobuf';
import { type Appended, type EventLog, type ExpectedRevision, type ProposedEvent } from './log.js';
import { streamName, uuidText } from './wire.js';

export const MAX_APPEND_BYTES = 1024 * 1024;
const MAX_STREAM_NAME_BYTES = 512;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

interface Pending {
  readonly options: streams.BatchAppendReq.Options;
  readonly events: ProposedEvent[];
  bytes: number;
}

type ProposedMessage = streams.BatchAppendReq.ProposedMessage | streams.AppendReq.ProposedMessage;

class Refused extends Error {
  constructor(
    readonly typeName: string,
    readonly details: Message,
    message: string,
  ) {
    super(message);
  }
}

/** One long call for all of a client's appends: every request that is complete gets an answer, matched by its correlation id. */
export function batchAppend(log: EventLog, call: grpc.ServerDuplexStream<streams.BatchAppendReq, streams.BatchAppendResp>): void {
  const pending = new Map<string, Pending>();
  call.on('data', (request: streams.BatchAppendReq) => {
    const correlationId = uuidText(request.getCorrelationId());
    const options = request.getOptions();
    if (options) pending.set(correlationId, { options, events: [], bytes: 0 });
    const append = pending.get(correlationId);
    if (!append) return;
    for (const message of request.getProposedMessagesList()) {
      append.bytes += size(message);
      // What is too large is not kept: only its size is needed for the answer.
      if (append.bytes <= MAX_APPEND_BYTES) append.events.push(proposed(message));
    }
    if (!request.getIsFinal()) return;
    pending.delete(correlationId);
    void answer(log, append, request.getCorrelationId()).then((response) => {
      if (call.writable) call.write(response);
    });
  });
  call.on('error', () => {
    pending.clear();
  });
  call.on('end', () => {
    call.end();
  });
}

async function answer(log: EventLog, append: Pending, correlationId: shared.UUID | undefined): Promise<streams.BatchAppendResp> {
  const { options } = append;
  const response = new streams.BatchAppendResp();
  if (correlationId) response.setCorrelationId(correlationId);
  const identifier = options.getStreamIdentifier();
  if (identifier) response.setStreamIdentifier(identifier);
  try {
    const expected = batchExpectation(options);
    check(options, append);
    const outcome = await log.append(streamName(identifier), expected, append.events);
    if (outcome.kind === 'wrong_revision') throw wrongRevision(expected, outcome.current);
    return response.setSuccess(batchSuccess(outcome));
  } catch (error) {
    return response.setError(statusOf(error));
  }
}

function check(options: streams.BatchAppendReq.Options, { bytes, events }: Pending): void {
  const deadline = options.getDeadline();
  if (deadline && deadline.toDate().getTime() < Date.now()) throw new Refused('Timeout', new shared.Timeout(), 'The deadline has passed.');
  if (bytes > MAX_APPEND_BYTES) {
    throw new Refused('MaximumAppendSizeExceeded', new shared.MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_BYTES), 'The append is too large.');
  }
  const fault = faultOf(streamName(options.getStreamIdentifier()), events);
  if (fault) throw new Refused('Unknown', new shared.Unknown(), fault);
}

function faultOf(stream: string, events: readonly ProposedEvent[]): string | undefined {
  if (stream === '' || Buffer.byteLength(stream) > MAX_STREAM_NAME_BYTES) return 'A stream name must have 1 to 512 bytes.';
  if (events.some(({ id }) => !UUID.test(id))) return 'An event id must be a UUID.';
  if (events.some(({ type }) => type === '' || Buffer.byteLength(type) > MAX_STREAM_NAME_BYTES)) return 'An event type must have 1 to 512 bytes.';
  return undefined;
}

/** One append in a call of its own: options first, then its events. */
export function append(
  log: EventLog,
  call: grpc.ServerReadableStream<streams.AppendReq, streams.AppendResp>,
  callback: grpc.sendUnaryData<streams.AppendResp>,
): void {
  let options: streams.AppendReq.Options | undefined;
  const events: ProposedEvent[] = [];
  let bytes = 0;
  call.on('data', (request: streams.AppendReq) => {
    options = request.getOptions() ?? options;
    const message = request.getProposedMessage();
    if (!message) return;
    bytes += size(message);
    if (bytes <= MAX_APPEND_BYTES) events.push(proposed(message));
  });
  call.on('end', () => {
    if (!options) {
      callback({ code: grpc.status.INVALID_ARGUMENT, details: 'An append begins with its options.' });
      return;
    }
    if (bytes > MAX_APPEND_BYTES) {
      callback(tooLarge());
      return;
    }
    const stream = streamName(options.getStreamIdentifier());
    const fault = faultOf(stream, events);
    if (fault) {
      callback({ code: grpc.status.INVALID_ARGUMENT, details: fault });
      return;
    }
    const expected = expectation(options);
    log.append(stream, expected, events).then(
      (outcome) => {
        callback(null, appendResponse(outcome, expected));
      },
      (error: unknown) => {
        callback({ code: grpc.status.INTERNAL, details: String(error) });
      },
    );
  });
}

function tooLarge(): grpc.ServiceError {
  const metadata = new grpc.Metadata();
  metadata.set('exception', 'maximum-append-size-exceeded');
  metadata.set('maximum-append-size', String(MAX_APPEND_BYTES));
  return Object.assign(new Error('The append is too large.'), { code: grpc.status.INVALID_ARGUMENT, details: 'The append is too large.', metadata });
}

function appendResponse(outcome: Appended, expected: ExpectedRevision): streams.AppendResp {
  const response = new streams.AppendResp();
  if (outcome.kind === 'appended') {
    const success = new streams.AppendResp.Success();
    if (outcome.revision < 0) success.setNoStream(new shared.Empty());
    else success.setCurrentRevision(outcome.revision.toString());
    const position = new streams.AppendResp.Position();
    return response.setSuccess(success.setPosition(position.setCommitPosition(outcome.position.toString()).setPreparePosition(outcome.position.toString())));
  }
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (outcome.current < 0) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(outcome.current.toString());
  if (expected.kind === 'exact') wrong.setExpectedRevision(expected.revision.toString());
  else if (expected.kind === 'no_stream') wrong.setExpectedNoStream(new shared.Empty());
  else if (expected.kind === 'stream_exists') wrong.setExpectedStreamExists(new shared.Empty());
  else wrong.setExpectedAny(new shared.Empty());
  return response.setWrongExpectedVersion(wrong);
}

function batchSuccess({ revision, position }: Extract<Appended, { kind: 'appended' }>): streams.BatchAppendResp.Success {
  const success = new streams.BatchAppendResp.Success();
  if (revision < 0) success.setNoStream(new empty.Empty());
  else success.setCurrentRevision(revision.toString());
  const place = new shared.AllStreamPosition();
  return success.setPosition(place.setCommitPosition(position.toString()).setPreparePosition(position.toString()));
}

function wrongRevision(expected: ExpectedRevision, current: number): Refused {
  const details = new shared.WrongExpectedVersion();
  if (current < 0) details.setCurrentNoStream(new empty.Empty());
  else details.setCurrentStreamRevision(current.toString());
  if (expected.kind === 'exact') details.setExpectedStreamPosition(expected.revision.toString());
  else if (expected.kind === 'no_stream') details.setExpectedNoStream(new empty.Empty());
  else if (expected.kind === 'stream_exists') details.setExpectedStreamExists(new empty.Empty());
  else details.setExpectedAny(new empty.Empty());
  return new Refused('WrongExpectedVersion', details, 'WrongExpectedVersion');
}

function statusOf(error: unknown): status.Status {
  const refused = error instanceof Refused ? error : new Refused('Unknown', new shared.Unknown(), String(error));
  const details = new any.Any();
  details.pack(refused.details.serializeBinary(), `event_store.client.${refused.typeName}`);
  return new status.Status().setMessage(refused.message).setDetails(details);
}

function batchExpectation(options: streams.BatchAppendReq.Options): ExpectedRevision {
  const kinds = streams.BatchAppendReq.Options.ExpectedStreamPositionCase;
  switch (options.getExpectedStreamPositionCase()) {
    case kinds.STREAM_POSITION:
      return { kind: 'exact', revision: Number(options.getStreamPosition()) };
    case kinds.NO_STREAM:
      return { kind: 'no_stream' };
    case kinds.STREAM_EXISTS:
      return { kind: 'stream_exists' };
    case kinds.ANY:
    case kinds.EXPECTED_STREAM_POSITION_NOT_SET:
      return { kind: 'any' };
  }
}

function expectation(options: streams.AppendReq.Options): ExpectedRevision {
  if (options.hasRevision()) return { kind: 'exact', revision: Number(options.getRevision()) };
  if (options.hasNoStream()) return { kind: 'no_stream' };
  return options.hasStreamExists() ? { kind: 'stream_exists' } : { kind: 'any' };
}

function proposed(message: ProposedMessage): ProposedEvent {
  const metadata = message.getMetadataMap();
  return {
    id: uuidText(message.getId()).toLowerCase(),
    type: metadata.get('type') ?? '',
    contentType: metadata.get('content-type') ?? 'application/octet-stream',
    data: message.getData_asU8(),
    customMetadata: message.getCustomMetadata_asU8(),
  };
}

function size(message: ProposedMessage): number {
  return message.getData_asU8().length + message.getCustomMetadata_asU8().length;
}
