import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type AppendResult, EventStore, NO_EVENTS } from './event-store.js';
import { IdleClock } from '../../../test/support/unit/idle-clock.js';
import { type PositionUnknown, type StoreClient } from './event-store-client/store-client.js';
import { AccessRejected, CommitTimeout, NodeNotServing, PermanentStoreError, StoreUnavailable } from './event-store-client/store-errors.js';
import { type NewEvent, type StoredEvent } from './recorded-event.js';

const metadata = { $correlationId: 'c', $causationId: 'c', schema_version: 1 };
const event: NewEvent = { id: '9d1f4b0e-5f0a-4b8e-8d57-5a4f4b7f6c11', type: 'Happened', data: {}, metadata };
const stored: StoredEvent = { ...event, stream: 's-1', revision: 4n, position: 70n };
const appended: AppendResult = { kind: 'appended', revision: 4n, position: 70n };
const permanentError = new PermanentStoreError('Access is denied.');

type Response = AppendResult | PositionUnknown | Error;

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
    expect(await adapter([{ kind: 'position_unknown', revision: 4n }], [stored]).append()).toStrictEqual(appended);
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

/** The store's treatment of one append: whether it carries the append out, now or by the next call, and how it responds. */
interface Fate {
  readonly stores: 'now' | 'later' | 'never';
  readonly response: 'result' | 'none' | 'broken' | 'not serving' | 'other leader' | 'commit timeout' | 'without position';
}

/** A stream that other writers may extend, in a store that treats appends as `fates` says, and as a healthy store after those. */
function storeWith(fates: readonly Fate[], rivalAfter: number | undefined) {
  const log: { readonly id: string }[] = [{ id: 'first' }];
  const left = [...fates];
  const late: (() => void)[] = [];
  let calls = 0;
  let [disposed, warnings] = [0, [] as string[]];
  const record = (events: readonly NewEvent[]): AppendResult => {
    if (events.every(({ id }, index) => log[1 + index]?.id === id)) return result();
    if (log.length > 1) return { kind: 'wrong_revision' };
    log.push(...events);
    return result();
  };
  const result = (): AppendResult => ({ kind: 'appended', revision: BigInt(log.length - 1), position: 100n * BigInt(log.length) });
  const responseTo = async ({ response }: Fate, outcome: AppendResult | undefined): Promise<AppendResult | PositionUnknown> => {
    if (response === 'none' || outcome === undefined) return await new Promise(() => undefined);
    if (response === 'broken') throw new Error('14 UNAVAILABLE: Connection dropped');
    if (response === 'not serving') throw new NodeNotServing('Server Is Not Ready');
    if (response === 'other leader') throw new NodeNotServing('the node is not the leader', 'b:1');
    if (response === 'commit timeout') throw new CommitTimeout('not committed in time');
    return response === 'without position' && outcome.kind === 'appended'
      ? { kind: 'position_unknown', revision: outcome.revision }
      : outcome;
  };
  const client = {
    hasOtherNodes: true,
    leaderIs: () => undefined,
    append: async (_stream: string, events: readonly NewEvent[]) => {
      for (const run of late.splice(0)) run();
      if (calls === rivalAfter && log.length === 1) log.push({ id: 'rival' });
      calls += 1;
      const fate = left.shift() ?? { stores: 'now', response: 'result' };
      if (fate.stores === 'later') late.push(() => record(events));
      return await responseTo(fate, fate.stores === 'now' ? record(events) : fate.response === 'result' ? undefined : result());
    },
    readStream: (_stream: string, from: bigint, { maxCount }: { maxCount: number }) =>
      Promise.resolve(
        log
          .map((each, index) => ({ ...each, revision: BigInt(index), position: 100n * BigInt(index + 1) }))
          .slice(Number(from), Number(from) + maxCount),
      ),
    dispose: () => {
      disposed += 1;
      return Promise.resolve();
    },
  };
  const connect = (): StoreClient => client as unknown as StoreClient;
  const store = new EventStore('', { connect, clock: new IdleClock(), onWarning: (message) => (warnings = [...warnings, message]) });
  return { store, log, calls: () => calls, disposed: () => disposed, warnings: () => warnings };
}

describe('an append to a store with faults', () => {
  const fate: fc.Arbitrary<Fate> = fc.oneof(
    fc.record({
      stores: fc.constantFrom('now', 'later', 'never'),
      response: fc.constantFrom('none', 'broken', 'commit timeout'),
    }) as fc.Arbitrary<Fate>,
    fc.record({ stores: fc.constant('now'), response: fc.constantFrom('result', 'without position') }) as fc.Arbitrary<Fate>,
    fc.record({ stores: fc.constant('never'), response: fc.constantFrom('not serving', 'other leader') }) as fc.Arbitrary<Fate>,
  );
  const events: readonly NewEvent[] = ['one', 'two'].map((id) => ({ ...event, id }));

  it('ends with what the stream holds, whose events are stored once', async () => {
    const rival = fc.option(fc.nat({ max: 3 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fc.array(fate, { maxLength: 6 }), rival, async (fates, rivalAfter) => {
        const { store, log, warnings } = storeWith(fates, rivalAfter);
        const result = await store.append('s-1', events, 0n);
        const stored = log.slice(1).map(({ id }) => id);
        if (result.kind === 'appended') {
          expect(stored).toStrictEqual(['one', 'two']);
          expect(result).toStrictEqual({ kind: 'appended', revision: 2n, position: 300n });
        } else expect(stored).toStrictEqual(['rival']);
        expect(warnings().filter((message) => message.includes('does not serve')).length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 300 },
    );
  });

  it('finds out from the stream what became of an append whose repetitions get no response', async () => {
    const silent: Fate = { stores: 'never', response: 'none' };
    const { store, calls, disposed, warnings } = storeWith(
      [{ stores: 'later', response: 'none' }, ...Array<Fate>(50).fill(silent)],
      undefined,
    );
    expect(await store.append('s-1', events, 0n)).toStrictEqual({ kind: 'appended', revision: 2n, position: 300n });
    expect(calls()).toBe(2);
    // Only the first silence can mean a dead connection: the store may be silent about repetitions.
    expect(disposed()).toBe(1);
    expect(warnings()).toStrictEqual([
      expect.stringContaining('the event store does not serve this process'),
      expect.stringMatching(/^the event store is back after \d+\.\d s; 1 appends were sent again$/),
    ]);
  });

  it('gets another connection when only the call that carries appends is dead', async () => {
    const silent: Fate = { stores: 'never', response: 'none' };
    const { store, disposed } = storeWith(Array<Fate>(7).fill(silent), undefined);
    expect(await store.append('s-1', events, 0n)).toMatchObject({ kind: 'appended' });
    expect(disposed()).toBe(3);
  });

  it('keeps the connection to a node that responds, but could not commit in time', async () => {
    const { store, disposed } = storeWith([{ stores: 'later', response: 'commit timeout' }], undefined);
    expect(await store.append('s-1', events, 0n)).toMatchObject({ kind: 'appended' });
    expect(disposed()).toBe(0);
  });
});

describe('a read of the event at a position', () => {
  it('finds none where EventStoreDB says that no event begins, and keeps the connection', async () => {
    const [warnings, ended]: [string[], string[]] = [[], []];
    const refuse = () => Promise.reject(new Error('2 UNKNOWN: Unexpected ReadAllResult: InvalidPosition'));
    const end = () => {
      ended.push('connection');
      return Promise.resolve();
    };
    const client = { readAll: refuse, readAllExactly: refuse, dispose: end };
    const store = new EventStore('', {
      connect: () => client as unknown as StoreClient,
      onWarning: (message) => warnings.push(message),
    });
    expect([await store.eventAt(71n), await store.rawEventAt(71n)]).toStrictEqual([undefined, undefined]);
    expect([warnings, ended]).toStrictEqual([[], []]);
  });
});

describe('a store that rejects the service', () => {
  const rejectedBy = (error: Error) => {
    let calls = 0;
    const fail = () => {
      calls += 1;
      return Promise.reject(error);
    };
    const client = { append: fail, readStream: fail, probeAppends: fail, dispose: () => Promise.resolve() };
    const clock = new IdleClock();
    const store = new EventStore('', { connect: () => client as unknown as StoreClient, clock });
    return { store, clock, calls: () => calls };
  };

  it('fails each call with its reason, at once, and is asked again only after a pause', async () => {
    const error = new AccessRejected('The event store rejects the user.', 'user');
    const { store, clock, calls } = rejectedBy(error);
    for (let round = 0; round < 20; round += 1) {
      await expect(store.append('s-1', [event], 3n)).rejects.toBe(error);
      await expect(store.readStream('s-1')).rejects.toBe(error);
      await expect(store.checkAppends()).rejects.toBe(error);
    }
    expect(calls()).toBe(1);
    await clock.delay(1_000);
    await expect(store.readStream('s-1')).rejects.toBe(error);
    await expect(store.readStream('s-1')).rejects.toBe(error);
    expect(calls()).toBe(2);
  });

  it('still gets the calls that need another right', async () => {
    const error = new AccessRejected('The event store does not let the user append.', 'right');
    const { store, calls } = rejectedBy(error);
    await expect(store.append('s-1', [event], 3n)).rejects.toBe(error);
    await expect(store.readStream('s-1')).rejects.toBe(error);
    expect(calls()).toBe(2);
  });
});

describe('an event store that recognises its log', () => {
  /** The log behind a connection: the right one, another one, or one that cannot be told. */
  type Log = 'right' | 'other' | 'unknown';
  const other = new AccessRejected('The event store holds another log.', 'log');
  const unknown = new StoreUnavailable('The database does not answer.');

  /** Returns an event store whose connections lead to these logs, one after another. */
  const connectedTo = (logs: readonly Log[]) => {
    const used: Log[] = [];
    const checked: Log[] = [];
    const state = { lost: false };
    let left = [...logs];
    const connect = (): StoreClient => {
      state.lost = false;
      const log = left[0] ?? 'right';
      left = left.slice(1);
      const call = <T>(result: T): Promise<T> => {
        used.push(log);
        return Promise.resolve(result);
      };
      const client = {
        append: () => call(appended),
        readStream: () => call([]),
        lastRevision: () => Promise.resolve(NO_EVENTS),
        probeAppends: () => call(undefined),
        subscribe: () => call({}),
        dispose: () => Promise.resolve(),
        get isLost() {
          return state.lost;
        },
        borrowed: () => ({
          log,
          dispose: () => Promise.resolve(),
          readStream: () => Promise.resolve([{ ...stored, stream: log, revision: 0n }]),
        }),
      };
      return client as unknown as StoreClient;
    };
    const recognise = async (log: EventStore): Promise<void> => {
      const [found] = await log.readStream('s-1');
      checked.push(found?.stream as Log);
      if (found?.stream === 'other') throw other;
      if (found?.stream === 'unknown') throw unknown;
    };
    const clock = new IdleClock();
    const store = new EventStore('', { connect, clock, recognise });
    return { store, clock, used, checked, state };
  };
  const calls: readonly ((store: EventStore) => Promise<unknown>)[] = [
    (store) => store.append('s-1', [event], 3n),
    (store) => store.readStream('s-1'),
    (store) => store.checkAppends(),
    (store) => store.subscribe(undefined, 1, new AbortController().signal),
  ];

  it('uses no connection to another log for any call, and goes on when the right one is back', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom<Log>('right', 'other')), fc.array(fc.nat(calls.length - 1)), async (logs, order) => {
        const { store, clock, used, state } = connectedTo(logs);
        for (const index of order) {
          const result = await calls[index]?.(store).catch((error: unknown) => error);
          if (result instanceof Error) expect(result).toBe(other);
          state.lost = true;
          await clock.delay(5_000);
        }
        for (let round = 0; round <= logs.length; round += 1) {
          state.lost = true;
          await clock.delay(5_000);
          await store.readStream('s-1').catch(() => undefined);
        }
        expect(await store.append('s-1', [event], 3n)).toStrictEqual(appended);
        expect(used).not.toContain('other');
        await store.close();
      }),
    );
  });

  it('checks each connection once, before the calls that wait for it', async () => {
    const { store, used, checked, state } = connectedTo([]);
    await Promise.all(calls.map((call) => call(store)));
    expect([checked.length, used.length]).toStrictEqual([1, calls.length]);
    state.lost = true;
    await Promise.all(calls.map((call) => call(store)));
    expect([checked.length, used.length]).toStrictEqual([2, 2 * calls.length]);
  });

  it('checks again at the next call if the log could not be told', async () => {
    const { store, used, checked } = connectedTo(['unknown', 'right']);
    await expect(store.readStream('s-1')).rejects.toBe(unknown);
    expect(await store.readStream('s-1')).toStrictEqual([]);
    expect([checked, used]).toStrictEqual([['unknown', 'right'], ['right']]);
  });
});
