import grpc from '@grpc/grpc-js';
import { categoryOf } from '../stream-kind.js';

/** An error of the event store that a retry cannot resolve. */
export class PermanentStoreError extends Error {
  override name = 'PermanentStoreError';
}

/** The stream was ended for good: the store shows none of its events and appends none. */
export class StreamTombstoned extends PermanentStoreError {
  override name = 'StreamTombstoned';
}

/** A store did not respond, or a read model did not catch up, in time. The request may be repeated. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** This process has closed its connection to the event store, so a repetition of the call cannot succeed. */
export class StoreClosed extends StoreUnavailable {
  override name = 'StoreClosed';
}

/**
 * Why nothing works: the user or password is wrong, the user lacks a right, the certificate is not trusted, a file cannot be read, or the
 * store holds another log than the one that this service's database belongs to.
 */
export const ACCESS_REASONS = ['user', 'right', 'certificate', 'file', 'log'] as const;
export type AccessReason = (typeof ACCESS_REASONS)[number];

/**
 * The event store rejects the service's user, or the service does not trust the store: nothing works until an operator acts. The message
 * names the setting and what to do.
 */
export class AccessRejected extends StoreUnavailable {
  override name = 'AccessRejected';

  constructor(
    message: string,
    readonly reason: AccessReason,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** Whether the store rejects every call, not only calls that need a right which the user lacks. */
  get everyCall(): boolean {
    return this.reason !== 'right';
  }
}

/** The store accepts no appends at present, for the reason in the message, and stored nothing of this one. */
export class AppendRefused extends Error {
  override name = 'AppendRefused';
}

/** The node did nothing, because it is starting, overloaded, or not the leader of its cluster. Its connection works. */
export class NodeNotServing extends Error {
  override name = 'NodeNotServing';

  /** @param leader host:port of the leader, if the node names it */
  constructor(
    message: string,
    readonly leader?: string,
  ) {
    super(message);
  }
}

/** The node did not find out in time whether an append was committed. Its connection works, and the outcome is unknown. */
export class CommitTimeout extends Error {
  override name = 'CommitTimeout';
}

/**
 * Rights that calls need, as they stand in sentences for the operator. A stream's own rights may be narrower than the user's, so a stream's
 * category is named; its name may hold a Rupa ID.
 */
export const APPEND = 'append events';
export const READ_ALL = 'read all events ($all)';
export const appendTo = (stream: string): string => `append to a stream of the category ${categoryOf(stream)}`;
export const readOf = (stream: string): string => `read a stream of the category ${categoryOf(stream)}`;

const { status } = grpc;
const RESOURCE_EXHAUSTED: number = status.RESOURCE_EXHAUSTED;
/** Names of permanent errors: first as in the trailer of a failed call, then as in the error type of an append response. */
const PERMANENT = new Set([
  'maximum-append-size-exceeded',
  'MaximumAppendSizeExceeded',
  'maximum-append-event-size-exceeded',
  'MaximumAppendEventSizeExceeded',
]);
const TOMBSTONED = new Set(['stream-deleted', 'StreamDeleted']);
/** Matches the message of a node that is starting, has lost its leader or has too much to do. The protocol has no code for that. */
const NOT_SERVING = /server is (?:not ready|(?:too )?busy)|no leader info/i;
/** Words of OpenSSL and Node for a certificate that cannot be verified. gRPC passes on only the text. */
const UNTRUSTED = /certificate|altnames|wrong version number/i;

/** Whether a read of $all failed because no event begins at its position. The protocol has no code for that. */
export function isPositionRefused(error: unknown): boolean {
  return error instanceof Error && error.message.includes('ReadAllResult: InvalidPosition');
}

/** Returns the error of a failed call as one of the classes above, or as it is if the connection failed. @param right what the call needs */
export function callFailure(error: Partial<grpc.ServiceError> & Error, right: string): Error {
  const details = error.details ?? error.message;
  const trailer = (name: string): string | undefined => error.metadata?.get(name)[0]?.toString();
  const exception = trailer('exception') ?? '';
  if (exception === 'not-leader')
    return new NodeNotServing('the node is not the leader', `${trailer('leader-endpoint-host')}:${trailer('leader-endpoint-port')}`);
  if (error.code === status.UNAUTHENTICATED) return userRejected(error);
  if (error.code === status.PERMISSION_DENIED || exception === 'access-denied') return rightMissing(right, error);
  if (error.code === status.UNAVAILABLE && UNTRUSTED.test(details)) return certificateRejected(details, error);
  if (TOMBSTONED.has(exception)) return new StreamTombstoned(details, { cause: error });
  if (error.code === status.DATA_LOSS || PERMANENT.has(exception)) return new PermanentStoreError(details, { cause: error });
  return NOT_SERVING.test(details) ? new NodeNotServing(details) : error;
}

/** Returns the error of an append response. @param right what the append needs */
export function appendFailure({ error, message, code }: { error: string; message: string; code: number }, right: string): Error {
  if (error === 'AccessDenied') return rightMissing(right);
  if (TOMBSTONED.has(error)) return new StreamTombstoned(message || error);
  if (PERMANENT.has(error)) return new PermanentStoreError(message || error);
  if (code === RESOURCE_EXHAUSTED) return new AppendRefused(message);
  if (error === 'Timeout') return new CommitTimeout(message || 'the append was not committed in time');
  return NOT_SERVING.test(message) ? new NodeNotServing(message) : new Error(message || error);
}

function userRejected(cause: unknown): AccessRejected {
  const todo = 'Correct them there, or set the password of that user in the event store.';
  return new AccessRejected(`The event store rejects the user or the password in EVENT_STORE_URL. ${todo}`, 'user', { cause });
}

function rightMissing(right: string, cause?: unknown): AccessRejected {
  const todo = 'Give that user the right (docs/event-stores.md), or name another user.';
  return new AccessRejected(`The event store does not let the user in EVENT_STORE_URL ${right}. ${todo}`, 'right', { cause });
}

function certificateRejected(details: string, cause: unknown): AccessRejected {
  const reason = /Last error: (?:Error: )?(.*?)\.? Resolution note/.exec(details)?.[1] ?? details;
  const todo = 'Name the file of its certificate authority with tlsCAFile=, use a host that its certificate names, or set tls=false.';
  return new AccessRejected(`The TLS connection to the event store in EVENT_STORE_URL fails: ${reason}. ${todo}`, 'certificate', { cause });
}
