import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Readable } from 'node:stream';
import { type EventStore } from '../event-sourcing/event-store.js';
import { Following } from '../event-sourcing/event-store-client/following.js';
import { subscribeInBatches } from './batches.js';

const MAX = 5;
const LINGER_MS = 100;
const SOON_MS = 10;
const MAY_WAIT_MS: Readonly<Partial<Record<string, number>>> = { patient: LINGER_MS, soon: SOON_MS };

/** A subscription that the test feeds. */
class Subscription extends Readable {
  cancelled = false;
  private count = 0n;

  constructor() {
    super({ objectMode: true, read: () => undefined });
  }

  send(...types: string[]): void {
    for (const type of types) {
      this.count += 1n;
      this.push({
        entry: { event: { id: String(this.count), stream: 's', revision: this.count, type, data: {}, metadata: {}, position: this.count } },
      });
    }
  }

  cancel(): void {
    this.cancelled = true;
  }
}

describe('the log in batches that linger', () => {
  let subscription: Subscription;
  let stopping: AbortController;
  let batches: string[][];
  let ended: Promise<unknown>;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    subscription = new Subscription();
    stopping = new AbortController();
    batches = [];
    const eventStore = {
      follow: (_after: bigint | undefined, size: number, signal: AbortSignal) => Promise.resolve(new Following(subscription, size, signal)),
    } as unknown as EventStore;
    ended = (async () => {
      for await (const batch of subscribeInBatches(eventStore, undefined, MAX, stopping.signal, ({ type }) => MAY_WAIT_MS[type] ?? 0))
        batches.push(batch.map(({ type }) => type));
    })().catch((error: unknown) => error);
  });
  afterEach(async () => {
    stopping.abort();
    await ended;
    expect(subscription.cancelled).toBe(true);
    jest.useRealTimers();
  });

  /** Until nothing is left to do but to wait. */
  const settled = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
  };
  const pass = async (ms: number): Promise<void> => {
    jest.advanceTimersByTime(ms);
    await settled();
  };

  it('the first goes at once, what comes soon after it together and later', async () => {
    subscription.send('patient');
    await settled();
    expect(batches).toStrictEqual([['patient']]);
    await pass(30);
    subscription.send('patient');
    await pass(30);
    subscription.send('patient');
    await pass(LINGER_MS - 61);
    expect(batches).toHaveLength(1);
    await pass(1);
    expect(batches.slice(1)).toStrictEqual([['patient', 'patient']]);
  });

  it('after a pause it goes at once again', async () => {
    subscription.send('patient');
    await settled();
    await pass(LINGER_MS + 1);
    subscription.send('patient');
    await settled();
    expect(batches).toStrictEqual([['patient'], ['patient']]);
  });

  it('one that somebody waits for takes those along that are held', async () => {
    subscription.send('patient');
    await settled();
    subscription.send('patient', 'patient');
    await settled();
    expect(batches).toHaveLength(1);
    subscription.send('urgent');
    await settled();
    expect(batches.slice(1)).toStrictEqual([['patient', 'patient', 'urgent']]);
  });

  it('waits as long as the most impatient of them', async () => {
    subscription.send('patient');
    await settled();
    subscription.send('patient', 'soon');
    await pass(SOON_MS - 1);
    expect(batches).toHaveLength(1);
    await pass(1);
    expect(batches.slice(1)).toStrictEqual([['patient', 'soon']]);
  });

  it('a full one goes', async () => {
    subscription.send('patient');
    await settled();
    subscription.send(...Array.from({ length: MAX + 1 }, () => 'patient'));
    await settled();
    expect(batches.slice(1)).toStrictEqual([Array.from({ length: MAX }, () => 'patient')]);
    await pass(LINGER_MS);
    expect(batches.slice(2)).toStrictEqual([['patient']]);
  });

  it('a subscription that fails meanwhile ends it with its error, and nothing held is told', async () => {
    subscription.send('patient');
    await settled();
    subscription.send('patient');
    await settled();
    subscription.destroy(new Error('gone'));
    expect(await ended).toMatchObject({ message: 'gone' });
    expect(batches).toHaveLength(1);
  });

  it('whoever stops it need not wait', async () => {
    subscription.send('patient');
    await settled();
    subscription.send('patient');
    await settled();
    stopping.abort();
    expect(await ended).toBeUndefined();
    expect(batches).toHaveLength(1);
  });
});
