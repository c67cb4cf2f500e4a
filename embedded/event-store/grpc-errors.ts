import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { type Message } from 'google-protobuf';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import { type Expectation, NO_EVENTS } from './append-rules.js';

/** Why an append was not done; each call has its own way to say it. */
export type Rejection =
  | { readonly kind: 'wrong_revision'; readonly expected: Expectation; readonly current: number }
  | { readonly kind: 'too_large'; readonly maxBytes: number }
  | { readonly kind: 'missing_metadata'; readonly property: string }
  | { readonly kind: 'deadline_passed' }
  | { readonly kind: 'invalid'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string };

/** BatchAppend's answer: a google.rpc.Status with one of the event_store.client types. */
export function batchStatus(refusal: Rejection): Uint8Array {
  const [type, details] = batchDetails(refusal);
  const packed = new any.Any();
  packed.pack(details.serializeBinary(), `event_store.client.${type}`);
  return new status.Status().setMessage(describe(refusal)).setDetails(packed).serializeBinary();
}

function batchDetails(refusal: Rejection): [type: string, details: Message] {
  switch (refusal.kind) {
    case 'wrong_revision':
      return ['WrongExpectedVersion', wrongExpectedVersion(refusal.expected, refusal.current)];
    case 'too_large':
      return ['MaximumAppendSizeExceeded', new shared.MaximumAppendSizeExceeded().setMaxappendsize(refusal.maxBytes)];
    case 'deadline_passed':
      return ['Timeout', new shared.Timeout()];
    case 'missing_metadata':
    case 'invalid':
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

/** The plain call's answer to a wrong revision, which is no error there. */
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

/** The plain call's answer to everything else: an error, which the client tells apart by its trailers. */
export function callError(refusal: Exclude<Rejection, { kind: 'wrong_revision' }>): grpc.ServiceError {
  switch (refusal.kind) {
    case 'too_large':
      return serviceError(grpc.status.INVALID_ARGUMENT, describe(refusal), {
        exception: 'maximum-append-size-exceeded',
        'maximum-append-size': String(refusal.maxBytes),
      });
    case 'missing_metadata':
      return serviceError(grpc.status.INVALID_ARGUMENT, describe(refusal), {
        exception: 'missing-required-metadata-property',
        'required-metadata-properties': refusal.property,
      });
    case 'deadline_passed':
      return serviceError(grpc.status.DEADLINE_EXCEEDED, describe(refusal));
    case 'invalid':
      return serviceError(grpc.status.INVALID_ARGUMENT, describe(refusal));
    case 'failed':
      return serviceError(grpc.status.INTERNAL, describe(refusal));
  }
}

/** An error that a call ends with. @param trailers ASCII only. */
export function serviceError(code: grpc.status, details: string, trailers: Record<string, string> = {}): grpc.ServiceError {
  const metadata = new grpc.Metadata();
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value);
  return Object.assign(new Error(details), { code, details, metadata });
}

function describe(refusal: Rejection): string {
  switch (refusal.kind) {
    case 'wrong_revision':
      return 'Append failed due to WrongExpectedVersion.';
    case 'too_large':
      return `Maximum append size of ${refusal.maxBytes} bytes exceeded.`;
    case 'missing_metadata':
      return `Required metadata property "${refusal.property}" is missing.`;
    case 'deadline_passed':
      return 'The deadline has passed.';
    case 'invalid':
    case 'failed':
      return refusal.message;
  }
}
