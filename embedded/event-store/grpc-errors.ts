import code from '@eventstore/db-client/generated/code_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { type Message } from 'google-protobuf';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import { type Expectation, NO_EVENTS } from './append-rules.js';

/** The reason why events were not appended. Each kind of call encodes it differently. */
export type Rejection =
  | { readonly kind: 'wrong_revision'; readonly expected: Expectation; readonly current: number }
  | { readonly kind: 'too_large'; readonly maxBytes: number }
  | { readonly kind: 'missing_metadata'; readonly property: string }
  | { readonly kind: 'deadline_passed' }
  | { readonly kind: 'invalid'; readonly message: string }
  /** Nothing was stored, and appends are refused at present. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** Encodes a rejection for BatchAppend: a google.rpc.Status with one of the event_store.client types. */
export function batchStatus(rejection: Rejection): Uint8Array {
  const [type, details] = batchDetails(rejection);
  const packed = new any.Any();
  packed.pack(details.serializeBinary(), `event_store.client.${type}`);
  const encoded = new status.Status().setMessage(describe(rejection)).setDetails(packed);
  // The code tells our adapter that a repetition at once is pointless (event-store-client/permanent-store-error.ts).
  if (rejection.kind === 'refused') encoded.setCode(code.Code.RESOURCE_EXHAUSTED);
  return encoded.serializeBinary();
}

function batchDetails(rejection: Rejection): [type: string, details: Message] {
  switch (rejection.kind) {
    case 'wrong_revision':
      return ['WrongExpectedVersion', wrongExpectedVersion(rejection.expected, rejection.current)];
    case 'too_large':
      return ['MaximumAppendSizeExceeded', new shared.MaximumAppendSizeExceeded().setMaxappendsize(rejection.maxBytes)];
    case 'deadline_passed':
      return ['Timeout', new shared.Timeout()];
    case 'missing_metadata':
    case 'invalid':
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
      return details.setExpectedStreamPosition(expected.revision.toString());
    case 'no_stream':
      return details.setExpectedNoStream(new empty.Empty());
    case 'stream_exists':
      return details.setExpectedStreamExists(new empty.Empty());
    case 'any':
      return details.setExpectedAny(new empty.Empty());
  }
}

/** Returns the response of the plain Append call to a wrong revision, which is not an error there. */
export function wrongVersionResponse(expected: Expectation, current: number): streams.AppendResp {
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (current === NO_EVENTS) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(current.toString());
  if (expected.kind === 'exact') wrong.setExpectedRevision(expected.revision.toString());
  else if (expected.kind === 'no_stream') wrong.setExpectedNoStream(new shared.Empty());
  else if (expected.kind === 'stream_exists') wrong.setExpectedStreamExists(new shared.Empty());
  else wrong.setExpectedAny(new shared.Empty());
  return new streams.AppendResp().setWrongExpectedVersion(wrong);
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
    case 'deadline_passed':
      return serviceError(grpc.status.DEADLINE_EXCEEDED, describe(rejection));
    case 'invalid':
      return serviceError(grpc.status.INVALID_ARGUMENT, describe(rejection));
    case 'refused':
      return serviceError(grpc.status.RESOURCE_EXHAUSTED, describe(rejection));
    case 'failed':
      return serviceError(grpc.status.INTERNAL, describe(rejection));
  }
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
    case 'deadline_passed':
      return 'The deadline has passed.';
    case 'invalid':
    case 'refused':
    case 'failed':
      return rejection.message;
  }
}
