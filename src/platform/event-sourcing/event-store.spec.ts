import { describe, expect, it } from '@jest/globals';
import { type AppendResult, EventStore } from './event-store.js';
import { type StoreClient } from './event-store-client/store-client.js';
import { PermanentStoreError } from './event-store-client/permanent-store-error.js';
import { type NewEvent, type StoredEvent } from './recorded-event.js';

const metadata = { $correlationId: 'c', $causationId: 'c', schema_version: 1 };
const event: NewEvent = { id: '9d1f4b0e-5f0a-4b8e-8d57-5a4f4b7f6c11', type: 'Happened', data: {}, metadata };
const stored: StoredEvent = { ...event, stream: 's-1', revision: 4n, position: 70n };
const appended: AppendResult = { kind: 'appended', revision: 4n, position: 70n };
const permanentError = new PermanentStoreError('Access is denied.');

type Response = AppendResult | { readonly kind: 'position_unknown' } | Error;

/** Returns an adapter whose client gives these responses to appends, one after another, and whose stream holds `found`. */
function adapter(responses: readonly Response[], found: readonly StoredEvent[]) {
  const left = [...responses];
  const client = {
    append: () => {
      const response = left.shift() ?? new Error('More appends were sent than expected.');
      return response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
    },
    readStream: () => Promise.resolve(found),
    dispose: () => Promise.resolve(),
  };
  const store = new EventStore('', { connect: () => client as unknown as StoreClient });
  return { append: () => store.append('s-1', [event], 3n), left };
}

describe('an append', () => {
  it('finds its position in the stream when the response has none', async () => {
    expect(await adapter([{ kind: 'position_unknown' }], [stored]).append()).toStrictEqual(appended);
  });

  it('is not sent again after a permanent error', async () => {
    const { append, left } = adapter([permanentError, appended], [stored]);
    await expect(append()).rejects.toBe(permanentError);
    expect(left).toHaveLength(1);
  });

  it('succeeds if an attempt with an unknown outcome stored the events and the next one is refused', async () => {
    expect(await adapter([new Error('no answer'), permanentError], [stored]).append()).toStrictEqual(appended);
    await expect(adapter([new Error('no answer'), permanentError], []).append()).rejects.toBe(permanentError);
  });

  it('tells by the stored event ids whether a wrong revision on a later attempt is its own earlier success', async () => {
    const wrong = { kind: 'wrong_revision' } as const;
    expect(await adapter([new Error('no answer'), wrong], [stored]).append()).toStrictEqual(appended);
    expect(await adapter([new Error('no answer'), wrong], [{ ...stored, id: 'another' }]).append()).toStrictEqual(wrong);
    expect(await adapter([wrong], [stored]).append()).toStrictEqual(wrong);
  });
});
