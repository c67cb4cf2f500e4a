import { describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { type EventStore } from '../event-sourcing/event-store.js';
import { subscribeInBatches } from './batches.js';

const LONG_MS = 1_000_000;

function subscribed(lingering: (event: { readonly type: string }) => number): { come: (...types: string[]) => void; next: () => Promise<string[]> } {
  const subscription = Object.assign(new PassThrough({ objectMode: true }), { unsubscribe: () => Promise.resolve() });
  const eventStore = { subscribeToAll: () => subscription } as unknown as EventStore;
  const batches = subscribeInBatches(eventStore, undefined, 5, new AbortController().signal, lingering);
  return {
    come: (...types) => {
      for (const type of types) subscription.write({ event: { type, position: { commit: 0n } } });
    },
    next: async () => ((await batches.next()).value as { type: string }[]).map(({ type }) => type),
  };
}

describe('batches of a subscription', () => {
  const lingering = ({ type }: { readonly type: string }): number => (type === 'slow' ? LONG_MS : type === 'soon' ? 1 : 0);

  it('begins at once, also with what may wait', async () => {
    const { come, next } = subscribed(() => performance.now() / 2);
    come('slow');
    expect(await next()).toStrictEqual(['slow']);
  });

  it('holds what may wait until something comes that may not', async () => {
    const { come, next } = subscribed(lingering);
    come('now');
    expect(await next()).toStrictEqual(['now']);
    come('slow', 'slow');
    const batch = next();
    await new Promise(setImmediate);
    come('now');
    expect(await batch).toStrictEqual(['slow', 'slow', 'now']);
  });

  it('waits as long as the most impatient of them', async () => {
    const { come, next } = subscribed(lingering);
    come('now');
    await next();
    come('slow', 'soon');
    expect(await next()).toStrictEqual(['slow', 'soon']);
  });

  it('holds no more than a batch', async () => {
    const { come, next } = subscribed(lingering);
    come('now');
    await next();
    come('slow', 'slow', 'slow', 'slow', 'slow', 'slow');
    expect(await next()).toHaveLength(5);
  });
});
