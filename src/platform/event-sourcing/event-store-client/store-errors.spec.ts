import grpc from '@grpc/grpc-js';
import { describe, expect, it } from '@jest/globals';
import {
  AccessRejected,
  appendFailure,
  AppendRefused,
  callFailure,
  CommitTimeout,
  NodeNotServing,
  PermanentStoreError,
  StreamTombstoned,
} from './store-errors.js';

const { status } = grpc;

function failed(code: grpc.status, details: string, trailers: Record<string, string> = {}): Error {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(trailers)) metadata.set(name, value);
  return Object.assign(new Error(`${code} ${details}`), { code, details, metadata });
}

describe('the error of a failed call', () => {
  it.each([
    [
      status.UNAUTHENTICATED,
      'Unauthenticated',
      {},
      /^The event store rejects the user or the password in EVENT_STORE_URL\. Correct/,
      'user',
    ],
    [
      status.PERMISSION_DENIED,
      'Access Denied',
      { exception: 'access-denied' },
      /user in EVENT_STORE_URL read all\. Give that user/,
      'right',
    ],
    [
      status.UNAVAILABLE,
      'No connection established. Last error: Error: unable to verify the first certificate. Resolution note: ',
      {},
      /^The TLS connection to the event store in EVENT_STORE_URL fails: unable to verify the first certificate\. Name the file/,
      'certificate',
    ],
    [
      status.UNAVAILABLE,
      "No connection established. Last error: Error [ERR_TLS_CERT_ALTNAME_INVALID]: Hostname/IP does not match certificate's altnames. Resolution note: ",
      {},
      /altnames/,
      'certificate',
    ],
  ])('%s says what the operator has to do (%s)', (code, details, trailers, sentence, reason) => {
    const error = callFailure(failed(code, details, trailers), 'read all');
    expect(error).toBeInstanceOf(AccessRejected);
    expect(error).toMatchObject({ message: expect.stringMatching(sentence), reason });
  });

  it('names the leader if the node does', () => {
    const trailers = { exception: 'not-leader', 'leader-endpoint-host': 'b.example', 'leader-endpoint-port': '2113' };
    const error = callFailure(failed(status.NOT_FOUND, 'Leader info available', trailers), 'read');
    expect(error).toBeInstanceOf(NodeNotServing);
    expect(error).toMatchObject({ leader: 'b.example:2113' });
  });

  it.each([
    [status.UNAVAILABLE, 'Server Is Not Ready'],
    [status.UNAVAILABLE, 'Server Is Too Busy'],
    [status.UNKNOWN, 'No leader info available in response'],
  ])('tells a node that does not serve from a dead connection (%s, %s)', (code, details) => {
    expect(callFailure(failed(code, details), 'read')).toBeInstanceOf(NodeNotServing);
  });

  it('is itself if the connection broke', () => {
    const error = failed(status.UNAVAILABLE, 'No connection established. Last error: connect ECONNREFUSED. Resolution note: ');
    expect(callFailure(error, 'read')).toBe(error);
  });
});

describe('the error of an append response', () => {
  it.each([
    [{ error: 'AccessDenied', message: '', code: 7 }, AccessRejected],
    [{ error: 'MaximumAppendSizeExceeded', message: '', code: 3 }, PermanentStoreError],
    [{ error: 'MaximumAppendEventSizeExceeded', message: '', code: 3 }, PermanentStoreError],
    [{ error: 'StreamDeleted', message: '', code: 9 }, StreamTombstoned],
    [{ error: 'Unknown', message: 'full', code: status.RESOURCE_EXHAUSTED }, AppendRefused],
    [{ error: 'Timeout', message: 'Operation timed out', code: status.DEADLINE_EXCEEDED }, CommitTimeout],
    [{ error: 'Empty', message: 'Server Is Not Ready', code: 0 }, NodeNotServing],
    [{ error: 'Empty', message: 'Server Is Busy', code: 0 }, NodeNotServing],
    [{ error: 'Empty', message: 'No leader info available in response', code: 0 }, NodeNotServing],
    [{ error: 'Unknown', message: 'anything else', code: 2 }, Error],
  ])('%j is a %p', (response, type) => {
    const error = appendFailure(response, 'append');
    expect(error.constructor).toBe(type);
    expect(error.message).not.toBe('');
  });
});
