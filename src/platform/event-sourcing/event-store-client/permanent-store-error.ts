import grpc from '@grpc/grpc-js';

/** An error of the event store that a retry cannot resolve. */
export class PermanentStoreError extends Error {
  override name = 'PermanentStoreError';
}

/** The store accepts no appends at present, for the reason in the message, and stored nothing of this one. */
export class AppendRefused extends Error {
  override name = 'AppendRefused';
}

const RESOURCE_EXHAUSTED: number = grpc.status.RESOURCE_EXHAUSTED;
/** Names of permanent errors: first as in the trailer of a failed call, then as in the error type of an append response. */
const PERMANENT = new Set([
  'maximum-append-size-exceeded',
  'access-denied',
  'stream-deleted',
  'MaximumAppendSizeExceeded',
  'AccessDenied',
  'StreamDeleted',
]);

/**
 * Returns the error of a failed call, as PermanentStoreError if its status or the store's `exception` trailer says that it is permanent.
 */
export function callFailure(error: Partial<grpc.ServiceError> & Error): Error {
  const [name] = error.metadata?.get('exception') ?? [];
  const isPermanent =
    error.code === grpc.status.UNAUTHENTICATED ||
    error.code === grpc.status.DATA_LOSS ||
    (name !== undefined && PERMANENT.has(name.toString()));
  return isPermanent ? new PermanentStoreError(error.details ?? error.message, { cause: error }) : error;
}

export function appendFailure({ error, message, code }: { error: string; message: string; code: number }): Error {
  if (PERMANENT.has(error)) return new PermanentStoreError(message || error);
  return code === RESOURCE_EXHAUSTED ? new AppendRefused(message) : new Error(message || error);
}
