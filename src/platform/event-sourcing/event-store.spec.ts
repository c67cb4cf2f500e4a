import { describe, expect, it } from '@jest/globals';
import { type AppendResult, EventStore } from './event-store.js';
import { type StoreClient } from './event-store-client/store-client.js';
import { PermanentStoreError } from './event-store-client/permanent-store-error.js';
import { type NewEvent, type StoredEvent } from './recorded-event.js';

const metadata = { $correlationId: 'c', $causationId: 'c', schema_version: 1 };
const event: NewEvent = { id: '9d1f4b0e-5f0a-4b8e-8d57-5a4f4b7f6c11', type: 'Happened', data: {}, metadata };
const stored: StoredEvent = { ...event, stream: 's-1', revision: 4n, position: 70n };
const place: AppendResult = { kind: 'appended', revision: 4n, position: 70n };
const refused = new PermanentStoreError('Access is denied.');

type Answer = AppendResult | { readonly kind: 'unplaced' } | Error;

/** Answers appends one after another as told; the stream holds `found`. */
function adapter(answers: readonly Answer[], found: readonly StoredEvent[]) {
  const left = [...answers];
  const client = {
    append: () => {
      const answer = left.shift() ?? new Error('It was asked too often.');
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    readStream: () => Promise.resolve(found),
    dispose: () => Promise.resolve(),
  };
  const store = new EventStore('', { connect: () => client as unknown as StoreClient });
  return { append: () => store.append('s-1', [event], 3n), left };
}

describe('an append', () => {
  it('that was taken without saying where is looked for', async () => {
    expect(await adapter([{ kind: 'unplaced' }], [stored]).append()).toStrictEqual(place);
  });

  it('that is refused for good is not sent again', async () => {
    const { append, left } = adapter([refused, place], [stored]);
    await expect(append()).rejects.toBe(refused);
    expect(left).toHaveLength(1);
  });

  it('that is refused when it is sent again may have been taken the first time', async () => {
    expect(await adapter([new Error('no answer'), refused], [stored]).append()).toStrictEqual(place);
    await expect(adapter([new Error('no answer'), refused], []).append()).rejects.toBe(refused);
  });

  it('at another revision when it is sent again is told by the ids that are there', async () => {
    const wrong = { kind: 'wrong_revision' } as const;
    expect(await adapter([new Error('no answer'), wrong], [stored]).append()).toStrictEqual(place);
    expect(await adapter([new Error('no answer'), wrong], [{ ...stored, id: 'another' }]).append()).toStrictEqual(wrong);
    expect(await adapter([wrong], [stored]).append()).toStrictEqual(wrong);
  });
});
