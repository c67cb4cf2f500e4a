import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { EventStore, NO_EVENTS, OutcomeUnknown } from '../../src/platform/event-sourcing/event-store.js';
import { type NewEvent, type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { replayInBatches, subscribeInBatches } from '../../src/platform/projecting/applying/batches.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';

function event(data: Record<string, unknown> = {}): NewEvent {
  return { id: randomUUID(), type: 'Happened', data, metadata: { $correlationId: 'c', $causationId: 'c', schema_version: 1 } };
}

const { signal } = new AbortController();

describe('the event store adapter', () => {
  let store: EventStoreProcess;
  let adapter: EventStore;
  /** For what a store that stalls for a moment must not fail. */
  let patient: EventStore;
  let warnings: string[];
  let onResent: () => void;

  beforeEach(async () => {
    warnings = [];
    onResent = () => undefined;
    store = await startEventStoreProcess();
    patient = new EventStore(`${store.connectionString}&keepAliveInterval=-1`, { stallTimeoutMs: 600_000 });
    adapter = new EventStore(store.connectionString, {
      stallTimeoutMs: 400,
      onWarning: (message) => warnings.push(message),
      observer: {
        appended: () => undefined,
        conflicted: () => undefined,
        resent: () => {
          onResent();
        },
      },
    });
  });
  afterEach(async () => {
    await adapter.close();
    await patient.close();
    await store.close();
  });

  /** Resolves when the adapter next sends an append again. */
  function resending(): Promise<void> {
    return new Promise((resolve) => {
      onResent = resolve;
    });
  }

  it('appends at an exact revision and reads back what it wrote', async () => {
    const [first, second] = [event({ n: 1 }), event({ n: 2 })];
    expect(await patient.append('a-1', [first, second], NO_EVENTS)).toMatchObject({ kind: 'appended', revision: 1n });
    expect(await patient.append('a-1', [event()], NO_EVENTS)).toStrictEqual({ kind: 'wrong_revision' });
    expect(await patient.append('a-1', [event()], 0n)).toStrictEqual({ kind: 'wrong_revision' });
    expect(await patient.append('a-1', [event({ n: 3 })], 1n)).toMatchObject({ kind: 'appended', revision: 2n });
    const stored = await patient.readStream('a-1');
    expect(stored.map(({ revision, data }) => [revision, data.n])).toStrictEqual([
      [0n, 1],
      [1n, 2],
      [2n, 3],
    ]);
    expect(stored[0]).toMatchObject({ id: first.id, stream: 'a-1', type: 'Happened', metadata: first.metadata });
    expect(await patient.lastEvent('a-1')).toMatchObject({ revision: 2n });
    expect(await patient.headPosition()).toBe(stored[2]?.position);
    expect(await patient.readStream('nothing')).toStrictEqual([]);
    expect(await patient.lastEvent('nothing')).toBeUndefined();
  });

  it('replays in batches, up to an event, the same events that a subscription delivers', async () => {
    for (let stream = 0; stream < 5; stream += 1)
      await patient.append(
        `a-${stream}`,
        Array.from({ length: 10 }, (_, n) => event({ n, text: 'ẹ̀kọ́' })),
        NO_EVENTS,
      );
    const head = (await patient.headPosition()) ?? 0n;
    const subscribed: StoredEvent[] = [];
    for await (const batch of subscribeInBatches(patient, undefined, 7, signal)) {
      subscribed.push(...batch);
      if (subscribed.at(-1)?.position === head) break;
    }
    for (const [after, until, size] of [
      [undefined, head, 7],
      [subscribed[3]?.position, head, 1],
      [undefined, subscribed[20]?.position ?? 0n, 7],
      [undefined, head, 1_000],
    ] as const) {
      const batches: StoredEvent[][] = [];
      for await (const batch of replayInBatches(patient, after, until, size, signal)) batches.push(batch);
      const wanted = subscribed.filter(({ position }) => position > (after ?? -1n));
      // A replay may include events after the last one, which were already on their way.
      expect(batches.flat()).toStrictEqual(wanted.slice(0, batches.flat().length));
      expect(batches.flat().at(-1)?.position).toBeGreaterThanOrEqual(until);
      for (const { length } of batches.slice(0, -1)) expect([length >= size, length <= 2 * size]).toStrictEqual([true, true]);
    }
  });

  it('ends a replay without events when it is aborted, and fails it when the store is lost', async () => {
    await patient.append('a-1', [event()], NO_EVENTS);
    const stopping = new AbortController();
    const subscribed = new EventEmitter();
    const subscribe: EventStore['subscribe'] = async (...args) => {
      const subscription = await patient.subscribe(...args);
      subscribed.emit('subscribed');
      return subscription;
    };
    const watched = Object.create(patient, { subscribe: { value: subscribe } }) as EventStore;
    const [waiting] = [replayInBatches(watched, undefined, 1_000n, 10, stopping.signal).next(), await once(subscribed, 'subscribed')];
    stopping.abort();
    expect(await waiting).toStrictEqual({ done: true, value: undefined });
    const broken = expect(replayInBatches(watched, undefined, 1_000n, 10, signal).next()).rejects.toThrow();
    await once(subscribed, 'subscribed');
    await store.close();
    await broken;
  });

  it('retries an append to a frozen store (SIGSTOP) until it responds, and writes it once', async () => {
    await adapter.append('a-1', [event({ n: 0 })], NO_EVENTS);
    store.pause();
    const appends = Array.from({ length: 20 }, (_, n) => adapter.append(`b-${n}`, [event({ n })], NO_EVENTS));
    await resending();
    await resending();
    store.resume();
    expect((await Promise.all(appends)).map(({ kind }) => kind)).toStrictEqual(appends.map(() => 'appended'));
    for (let n = 0; n < 20; n += 1) {
      expect((await patient.readStream(`b-${n}`)).map(({ data }) => data.n)).toStrictEqual([n]);
    }
    // On a busy machine, the store may also not respond in time before or later.
    expect(warnings).toEqual(
      expect.arrayContaining([
        expect.stringContaining('the event store does not serve this process'),
        expect.stringMatching(/^the event store is back after [\d.]+ s; 20 appends were sent again$/),
      ]),
    );
  });

  it('retries an append after the store was killed and restarted, and writes it once', async () => {
    await adapter.append('a-1', [event({ n: 0 })], NO_EVENTS);
    await store.kill();
    const append = adapter.append('a-1', [event({ n: 1 })], 0n);
    await resending();
    await store.restart();
    expect(await append).toMatchObject({ kind: 'appended', revision: 1n });
    expect((await patient.readStream('a-1')).map(({ data }) => data.n)).toStrictEqual([0, 1]);
  });

  it('survives kills under load: every acknowledged event is stored once, in order', async () => {
    const reported = new Map<string, number>();
    let stop = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; !stop; n += 1) {
        const result = await adapter.append(`w-${writer}`, [event({ n })], BigInt(n - 1));
        if (result.kind !== 'appended') throw new Error('The append was refused, although nothing else writes to this stream.');
        reported.set(`w-${writer}`, n);
      }
    });
    for (let round = 0; round < 3; round += 1) {
      const target = Math.max(0, ...reported.values()) + 20;
      await new Promise<void>((resolve) => {
        const timer = setInterval(() => {
          if (Math.max(0, ...reported.values()) < target) return;
          clearInterval(timer);
          resolve();
        }, 5);
      });
      await store.kill();
      await store.restart();
    }
    stop = true;
    await Promise.all(writers);
    for (const [stream, last] of reported) {
      const numbers = (await patient.readStream(stream)).map(({ data }) => data.n);
      expect(numbers).toStrictEqual(Array.from({ length: last + 1 }, (_, n) => n));
    }
  });

  it('gives up only when it is closed, and then reports an unknown outcome', async () => {
    await adapter.append('a-1', [event()], NO_EVENTS);
    store.pause();
    const append = adapter.append('a-1', [event()], 0n);
    const outcome = expect(append).rejects.toThrow(OutcomeUnknown);
    await resending();
    await adapter.close();
    await outcome;
    store.resume();
  });
});
