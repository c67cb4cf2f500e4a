import { describe, expect, it } from '@jest/globals';
import { CAUGHT_UP, type LimitedStream } from '../event-store-client/store-client.js';
import { type EventStore, HistoryMissing } from '../event-store.js';
import { findMissingHistories } from './history-watch.js';

/** A store whose subscription holds these names before anybody waits for them, and never wakes its reader. */
function storeWith(names: readonly LimitedStream[], missing: readonly string[]) {
  let buffered = [...names];
  const subscription = {
    get length() {
      return buffered.length;
    },
    take: () => buffered.splice(0),
    waitForMore: () => new Promise<void>(() => undefined),
    stop: () => {
      buffered = [];
    },
  };
  const store = {
    followRetention: () => Promise.resolve(subscription),
    examineHistory: (stream: string) =>
      missing.includes(stream) ? Promise.reject(new HistoryMissing(stream, undefined, 1n)) : Promise.resolve(),
  };
  return store as unknown as EventStore;
}

describe('the search for missing history', () => {
  it('names each stream of the categories once, also if all names arrived before it waited', async () => {
    const names = ['wallet-1', 'wallet-2', 'scratch-1', 'wallet-1', CAUGHT_UP] as const;
    const found = await findMissingHistories(storeWith(names, ['wallet-1', 'scratch-1']), new Set(['wallet']), 60_000);
    expect(found.missing.map(({ stream }) => stream)).toStrictEqual(['wallet-1']);
    expect(found.isComplete).toBe(true);
  });
});
