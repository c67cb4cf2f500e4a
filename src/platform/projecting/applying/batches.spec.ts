import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { Readable } from 'node:stream';
import { type EventStore, StoreUnavailable } from '../../event-sourcing/event-store.js';
import { Subscription } from '../../event-sourcing/event-store-client/subscription.js';
import { type StoredEvent } from '../../event-sourcing/recorded-event.js';
import { WantedPositions } from '../wanted-positions.js';
import { replayInBatches, subscribeInBatches } from './batches.js';

const MAX = 5;
const WINDOW_MS = 100;
const SOON_MS = 10;
const MAY_WAIT_MS: Readonly<Partial<Record<string, number>>> = { patient: WINDOW_MS, soon: SOON_MS };

/** A fake read call, into which the test sends events. */
class FakeCall extends Readable {
  cancelled = false;
  private count = 0n;

  constructor() {
    super({ objectMode: true, read: () => undefined });
  }

  send(...types: string[]): void {
    for (const type of types) {
      this.count += 1n;
      this.sendAt(this.count, type);
    }
  }

  sendAt(position: bigint, type = 'any'): void {
    this.push({ entry: { event: { id: String(position), stream: 's', revision: position, type, data: {}, metadata: {}, position } } });
  }

  cancel(): void {
    this.cancelled = true;
  }
}

describe('a subscription with a batching window', () => {
  let call: FakeCall;
  let stopping: AbortController;
  let batches: string[][];
  let wanted: WantedPositions;
  let takesMs: number;
  let ended: Promise<unknown>;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    call = new FakeCall();
    stopping = new AbortController();
    batches = [];
    wanted = new WantedPositions();
    takesMs = 0;
    const eventStore = {
      subscribe: (_after: bigint | undefined, size: number, signal: AbortSignal) =>
        Promise.resolve(new Subscription(call, size, signal, ({ entry }) => entry?.event as StoredEvent | undefined)),
    } as unknown as EventStore;
    const batching = { window: ({ type }: StoredEvent) => MAY_WAIT_MS[type] ?? 0, wanted };
    ended = (async () => {
      for await (const batch of subscribeInBatches(eventStore, undefined, MAX, stopping.signal, batching)) {
        batches.push(batch.map(({ type }) => type));
        if (takesMs === 0) continue;
        await new Promise((resolve) => {
          setTimeout(resolve, takesMs);
          stopping.signal.addEventListener('abort', resolve);
        });
      }
    })().catch((error: unknown) => error);
  });
  afterEach(async () => {
    stopping.abort();
    await ended;
    expect(call.cancelled).toBe(true);
    jest.useRealTimers();
  });

  /** Runs the event loop until only timers are pending. */
  const settled = async (): Promise<void> => {
    for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
  };
  const pass = async (ms: number): Promise<void> => {
    jest.advanceTimersByTime(ms);
    await settled();
  };

  it('yields the first event at once and batches the events of the following window', async () => {
    call.send('patient');
    await settled();
    expect(batches).toStrictEqual([['patient']]);
    await pass(30);
    call.send('patient');
    await pass(30);
    call.send('patient');
    await pass(WINDOW_MS - 61);
    expect(batches).toHaveLength(1);
    await pass(1);
    expect(batches.slice(1)).toStrictEqual([['patient', 'patient']]);
  });

  it('yields an event at once when the window since the last batch has passed', async () => {
    call.send('patient');
    await settled();
    await pass(WINDOW_MS + 1);
    call.send('patient');
    await settled();
    expect(batches).toStrictEqual([['patient'], ['patient']]);
  });

  it('yields the waiting events together with an urgent one', async () => {
    call.send('patient');
    await settled();
    call.send('patient', 'patient');
    await settled();
    expect(batches).toHaveLength(1);
    call.send('urgent');
    await settled();
    expect(batches.slice(1)).toStrictEqual([['patient', 'patient', 'urgent']]);
  });

  it('waits for the shortest window among the waiting events', async () => {
    call.send('patient');
    await settled();
    call.send('patient', 'soon');
    await pass(SOON_MS - 1);
    expect(batches).toHaveLength(1);
    await pass(1);
    expect(batches.slice(1)).toStrictEqual([['patient', 'soon']]);
  });

  it('yields a full batch without waiting', async () => {
    call.send('patient');
    await settled();
    call.send(...Array.from({ length: MAX + 1 }, () => 'patient'));
    await settled();
    expect(batches.slice(1)).toStrictEqual([Array.from({ length: MAX }, () => 'patient')]);
    await pass(WINDOW_MS);
    expect(batches.slice(2)).toStrictEqual([['patient']]);
  });

  it('yields the waiting events as soon as somebody waits for one of them', async () => {
    call.send('patient');
    await settled();
    call.send('patient', 'patient');
    await settled();
    wanted.heard('1');
    await settled();
    expect(batches).toHaveLength(1);
    wanted.heard('3');
    await settled();
    expect(batches.slice(1)).toStrictEqual([['patient', 'patient']]);
  });

  it('keeps no event waiting that somebody already waits for, and those after it as before', async () => {
    wanted.heard('3');
    call.send('patient');
    await settled();
    call.send('patient');
    await settled();
    call.send('patient');
    await settled();
    expect(batches).toStrictEqual([['patient'], ['patient'], ['patient']]);
    call.send('patient');
    await settled();
    expect(batches).toHaveLength(3);
  });

  it('lets events wait for as much less as the previous batch took', async () => {
    takesMs = 30;
    call.send('patient');
    await settled();
    await pass(30);
    call.send('patient');
    await pass(WINDOW_MS - 61);
    expect(batches).toHaveLength(1);
    await pass(1);
    expect(batches.slice(1)).toStrictEqual([['patient']]);
  });

  it('throws the error of a failed subscription and drops the waiting events', async () => {
    call.send('patient');
    await settled();
    call.send('patient');
    await settled();
    call.destroy(new Error('gone'));
    expect(await ended).toMatchObject({ message: 'gone' });
    expect(batches).toHaveLength(1);
  });

  it('ends at once when its signal is aborted', async () => {
    call.send('patient');
    await settled();
    call.send('patient');
    await settled();
    stopping.abort();
    expect(await ended).toBeUndefined();
    expect(batches).toHaveLength(1);
  });
});

describe('a replay', () => {
  /** An event store with this many events, whose nth subscription breaks after it has sent so many of them. */
  function breaking(events: number, breaks: readonly number[]): Pick<EventStore, 'subscribe'> {
    let opened = 0;
    return {
      subscribe: (after = 0n, size, signal) => {
        const call = new FakeCall();
        const broken = breaks[opened];
        opened += 1;
        setImmediate(() => {
          for (let position = after + 1n, sent = 0; position <= events && sent !== broken; position += 1n, sent += 1) call.sendAt(position);
          if (broken !== undefined) call.destroy(new Error('14 UNAVAILABLE: Connection dropped'));
        });
        return Promise.resolve(new Subscription(call, size, signal, ({ entry }) => entry?.event as StoredEvent | undefined));
      },
    };
  }

  const read = async (store: Pick<EventStore, 'subscribe'>, until: number, size: number, most: number): Promise<number[]> => {
    const positions: number[] = [];
    for await (const batch of replayInBatches(store, undefined, BigInt(until), size, new AbortController().signal, { most, pauseMs: 0 }))
      positions.push(...batch.map(({ position }) => Number(position)));
    return positions;
  };

  it('reads each event once and in its order, wherever the connection breaks', async () => {
    const breaks = fc.array(fc.nat({ max: 40 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60 }), breaks, fc.integer({ min: 1, max: 9 }), async (events, after, size) => {
        expect(await read(breaking(events, after), events, size, after.length)).toStrictEqual(
          Array.from({ length: events }, (_, i) => i + 1),
        );
      }),
    );
  });

  it('fails when the event store does not come back', async () => {
    const never = breaking(
      5,
      Array.from({ length: 9 }, () => 0),
    );
    await expect(read(never, 5, 2, 3)).rejects.toThrow(StoreUnavailable);
  });
});
