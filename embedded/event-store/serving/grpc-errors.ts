import code from '@eventstore/db-client/generated/code_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import protobuf, { type Message } from 'google-protobuf';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import { type Expectation, NO_EVENTS, NO_REVISION } from '../append-rules.js';

/** A call that ends with this status. What EventStoreDB does, and this server does not, is refused with UNIMPLEMENTED. */
export class RefusedCall extends Error {
  override name = 'RefusedCall';

  /** @param message says what is wrong and what to do; at most ASCII, because it travels in a trailer */
  constructor(
    readonly code: grpc.status,
    message: string,
  ) {
    super(message);
  }
}

/** The stream was ended for good. */
export class TombstonedStream extends Error {
  override name = 'TombstonedStream';

  constructor(readonly stream: string) {
    super(`Event stream '${stream}' is deleted.`);
  }
}

/** The reason why events were not appended. Each kind of call encodes it differently. */
export type Rejection =
  | { readonly kind: 'wrong_revision'; readonly expected: Expectation; readonly current: number }
  | { readonly kind: 'too_large'; readonly maxBytes: number }
  | { readonly kind: 'missing_metadata'; readonly property: string }
  | { readonly kind: 'stream_deleted'; readonly stream: string }
  | { readonly kind: 'missing_expectation' }
  | { readonly kind: 'deadline_passed' }
  | { readonly kind: 'invalid'; readonly message: string }
  /** EventStoreDB would accept the append, or never respond to it. */
  | { readonly kind: 'unimplemented'; readonly message: string }
  /** Nothing was stored, and appends are refused at present. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** Encodes a rejection for BatchAppend: a google.rpc.Status with one of the event_store.client types. */
export function batchStatus(rejection: Rejection): Uint8Array {
  const [type, details] = batchDetails(rejection);
  const packed = new any.Any();
  packed.pack(details.serializeBinary(), `event_store.client.${type}`);
  return new status.Status().setCode(batchCode(rejection)).setMessage(describe(rejection)).setDetails(packed).serializeBinary();
}

function batchCode({ kind }: Rejection): code.Code {
  switch (kind) {
    case 'wrong_revision':
      return code.Code.ALREADY_EXISTS;
    case 'too_large':
    case 'missing_metadata':
    case 'missing_expectation':
    case 'invalid':
      return code.Code.INVALID_ARGUMENT;
    case 'stream_deleted':
      return code.Code.FAILED_PRECONDITION;
    case 'deadline_passed':
      return code.Code.DEADLINE_EXCEEDED;
    case 'unimplemented':
      return code.Code.UNIMPLEMENTED;
    // The code tells our adapter that a repetition at once is pointless (event-store-client/store-errors.ts).
    case 'refused':
      return code.Code.RESOURCE_EXHAUSTED;
    case 'failed':
      return code.Code.UNKNOWN;
  }
}

function batchDetails(rejection: Rejection): [type: string, details: Message] {
  switch (rejection.kind) {
    case 'wrong_revision':
      return ['WrongExpectedVersion', wrongExpectedVersion(rejection.expected, rejection.current)];
    case 'too_large':
      return ['MaximumAppendSizeExceeded', new shared.MaximumAppendSizeExceeded().setMaxappendsize(rejection.maxBytes)];
    case 'stream_deleted':
      return ['StreamDeleted', new shared.StreamDeleted().setStreamIdentifier(identifierOf(rejection.stream))];
    case 'deadline_passed':
      return ['Timeout', new shared.Timeout()];
    case 'missing_metadata':
    case 'missing_expectation':
    case 'invalid':
    case 'unimplemented':
      // EventStoreDB's client shows the message of an error only if it does not know the type.
      return ['BadRequest', new shared.BadRequest().setMessage(describe(rejection))];
    case 'refused':
    case 'failed':
      return ['Unknown', new shared.Unknown()];
  }
}

function wrongExpectedVersion(expected: Expectation, current: number): shared.WrongExpectedVersion {
  const details = new shared.WrongExpectedVersion();
  if (current === NO_EVENTS) details.setCurrentNoStream(new empty.Empty());
  else details.setCurrentStreamRevision(current.toString());
  switch (expected.kind) {
    case 'exact':
      if (expected.revision !== NO_REVISION) return details.setExpectedStreamPosition(expected.revision.toString());
      return details.setExpectedNoStream(new empty.Empty());
    case 'no_stream':
      return details.setExpectedNoStream(new empty.Empty());
    case 'stream_exists':
      return details.setExpectedStreamExists(new empty.Empty());
    case 'any':
      return details.setExpectedAny(new empty.Empty());
  }
}

/** Field of an AppendResp for a wrong revision, and the field in it for the revision that clients of version 20.6 read. */
const [WRONG_VERSION, EXPECTED_REVISION_2060] = [2, 3];

/**
 * Encodes the AppendResp of the plain Append call for a wrong revision, which is not an error there. Each value is in it twice, because
 * EventStoreDB also sets the fields of its version 20.6, in which no stream is the largest revision.
 */
export function encodeWrongVersion(expected: Expectation, current: number): Buffer {
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (current === NO_EVENTS) wrong.setCurrentNoStream(new shared.Empty()).setNoStream2060(new shared.Empty());
  else wrong.setCurrentRevision(current.toString()).setCurrentRevision2060(current);
  const expected2060 = new protobuf.BinaryWriter();
  switch (expected.kind) {
    case 'exact':
      wrong.setExpectedRevision(expected.revision.toString());
      expected2060.writeUint64String(EXPECTED_REVISION_2060, expected.revision.toString());
      break;
    case 'no_stream':
      wrong.setExpectedNoStream(new shared.Empty());
      // The generated setter takes a number, which cannot hold this revision.
      expected2060.writeUint64String(EXPECTED_REVISION_2060, NO_REVISION.toString());
      break;
    case 'stream_exists':
      wrong.setExpectedStreamExists(new shared.Empty()).setStreamExists2060(new shared.Empty());
      break;
    case 'any':
      wrong.setExpectedAny(new shared.Empty()).setAny2060(new shared.Empty());
  }
  const response = new protobuf.BinaryWriter();
  response.writeBytes(WRONG_VERSION, Buffer.concat([expected2060.getResultBuffer(), wrong.serializeBinary()]));
  return Buffer.from(response.getResultBuffer());
}

/** Returns the error of the plain Append call for any other rejection. The client distinguishes them by the trailers. */
export function callError(rejection: Exclude<Rejection, { kind: 'wrong_revision' }>): grpc.ServiceError {
  switch (rejection.kind) {
    case 'too_large':
      return serviceError(grpc.status.INVALID_ARGUMENT, describe(rejection), {
        exception: 'maximum-append-size-exceeded',
        'maximum-append-size': String(rejection.maxBytes),
      });
    case 'missing_metadata':
      return serviceError(grpc.status.INVALID_ARGUMENT, describe(rejection), {
        exception: 'missing-required-metadata-property',
        'required-metadata-properties': rejection.property,
      });
    case 'stream_deleted':
      return deletedError(rejection.stream);
    case 'deadline_passed':
      return serviceError(grpc.status.DEADLINE_EXCEEDED, describe(rejection));
    case 'missing_expectation':
      return serviceError(grpc.status.INVALID_ARGUMENT, describe(rejection));
    case 'invalid':
      return serviceError(grpc.status.UNKNOWN, describe(rejection));
    case 'unimplemented':
      return serviceError(grpc.status.UNIMPLEMENTED, describe(rejection));
    case 'refused':
      return serviceError(grpc.status.RESOURCE_EXHAUSTED, describe(rejection));
    case 'failed':
      return serviceError(grpc.status.INTERNAL, describe(rejection));
  }
}

/** Returns the error of a call about a stream that was ended for good. */
export function deletedError(stream: string): grpc.ServiceError {
  const trailers = { exception: 'stream-deleted', 'stream-name': ascii(stream) };
  return serviceError(grpc.status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, trailers);
}

/** Returns the error of a deletion at a wrong revision. @param expected as EventStoreDB numbers it */
export function wrongRevisionError(stream: string, expected: bigint, current: number): grpc.ServiceError {
  const [wanted, actual] = [expected.toString(), current.toString()];
  return serviceError(
    grpc.status.FAILED_PRECONDITION,
    `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${wanted}, Actual version: ${actual}`,
    { exception: 'wrong-expected-version', 'stream-name': ascii(stream), 'expected-version': wanted, 'actual-version': actual },
  );
}

function identifierOf(stream: string): shared.StreamIdentifier {
  return new shared.StreamIdentifier().setStreamName(Buffer.from(stream));
}

/** Trailers travel as ASCII. */
function ascii(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?');
}

/** Creates the error that a call ends with. @param trailers ASCII only. */
export function serviceError(code: grpc.status, details: string, trailers: Record<string, string> = {}): grpc.ServiceError {
  const metadata = new grpc.Metadata();
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

function describe(rejection: Rejection): string {
  switch (rejection.kind) {
    case 'wrong_revision':
      return 'Append failed due to WrongExpectedVersion.';
    case 'too_large':
      return `Maximum append size of ${rejection.maxBytes} bytes exceeded.`;
    case 'missing_metadata':
      return `Required metadata property "${rejection.property}" is missing.`;
    case 'stream_deleted':
      return `Event stream '${rejection.stream}' is deleted.`;
    case 'deadline_passed':
      return 'The deadline has passed.';
    case 'missing_expectation':
      return 'The expected revision is missing.';
    case 'invalid':
    case 'unimplemented':
    case 'refused':
    case 'failed':
      return rejection.message;
  }
}
