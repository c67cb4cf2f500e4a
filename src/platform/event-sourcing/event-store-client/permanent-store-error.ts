import grpc from '@grpc/grpc-js';

/** The store refuses for good: asking again does not help. */
export class PermanentStoreError extends Error {
  override name = 'PermanentStoreError';
}

/** As a trailer of a call that failed, and as the type of an error that answers an append. */
const FINAL = new Set([
  'maximum-append-size-exceeded',
  'access-denied',
  'stream-deleted',
  'MaximumAppendSizeExceeded',
  'AccessDenied',
  'StreamDeleted',
]);

/** What ended a call, told apart by the trailer that the store names its errors in. */
export function callFailure(error: Partial<grpc.ServiceError> & Error): Error {
  const [name] = error.metadata?.get('exception') ?? [];
  const isFinal = error.code === grpc.status.UNAUTHENTICATED || (name !== undefined && FINAL.has(name.toString()));
  return isFinal ? new PermanentStoreError(error.message, { cause: error }) : error;
}

export function appendFailure(name: string, message: string): Error {
  return FINAL.has(name) ? new PermanentStoreError(message || name) : new Error(message || name);
}
