import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { IdleClock } from '../../../../test/support/unit/idle-clock.js';
import { type Codec } from '../coding/codec.js';
import { type Dated, type Decider } from '../decider.js';
import { EventStore } from '../event-store.js';
import { type AppendResult, type StoreClient } from '../event-store-client/store-client.js';
import { type NewEvent, type StoredEvent } from '../recorded-event.js';
import { SHORT_STREAM } from '../stream-kind.js';
import { type ClockFault, ClockWrong } from './clock-guard.js';
import { StreamWriter } from './stream-writer.js';

/** An append is told as a broken connection. It is stored after so many further calls, at once after none, or never. */
type Fate = number | 'never';
type Counted = { readonly type: 'Counted'; readonly data: { readonly recorded_at: string; readonly by: string } };

const STREAM = 'counter-1';
/** An event is never dated so long before another one (evidence, "Clocks"). */
const MAX_AGE_MS = 60_000;

const counter: Decider<number, Dated & { readonly by: string }, Counted> = {
  initialState: 0,
  decide: ({ at, by }) => [{ type: 'Counted', data: { recorded_at: at, by } }],
  evolve: (count) => count + 1,
};
const codec = {
  version: () => 1,
  encode: (_stream: string, events: readonly NewEvent[]) => Promise.resolve(events),
  decodeUsable: (events: readonly StoredEvent[]) => Promise.resolve({ events }),
} as unknown as Codec;

/** A writer on a store that treats appends as `fates` says, and as a healthy store afterwards. */
function writerOn(
  fates: readonly Fate[],
  { rivalAfter, clockFaults = [] }: { rivalAfter?: number; clockFaults?: readonly (ClockFault['kind'] | undefined)[] } = {},
) {
  const clock = new IdleClock();
  const [left, faults, log, ages] = [[...fates], [...clockFaults], [] as StoredEvent[], [] as number[]];
  let later: { calls: number; store: () => void }[] = [];
  const store = (events: readonly NewEvent[], expected: bigint | undefined): AppendResult => {
    const first = Number(expected ?? -1n) + 1;
    if (log[first] !== undefined && log[first].id !== events[0]?.id) return { kind: 'wrong_revision' };
    if (log[first] === undefined)
      log.push(
        ...events.map((event, index) => ({ ...event, stream: STREAM, revision: BigInt(first + index), position: BigInt(first + index) })),
      );
    return { kind: 'appended', revision: BigInt(first), position: BigInt(first) };
  };
  const client = {
    hasOtherNodes: true,
    leaderIs: () => undefined,
    append: (_stream: string, events: readonly NewEvent[], expected: bigint | undefined) => {
      later = later.map((each) => ({ ...each, calls: each.calls - 1 }));
      for (const { calls, store: run } of later) if (calls === 0) run();
      if (ages.length === rivalAfter) store([{ ...events[0], id: 'rival' } as NewEvent], expected);
      ages.push(clock.now().getTime() - Date.parse((events[0]?.data as Counted['data']).recorded_at));
      const fate = left.shift();
      if (fate === undefined) return Promise.resolve(store(events, expected));
      if (fate === 0) store(events, expected);
      else if (fate !== 'never') later.push({ calls: fate, store: () => store(events, expected) });
      return Promise.reject(new Error('14 UNAVAILABLE: Connection dropped'));
    },
    readStream: (_stream: string, from: bigint | 'start', { maxCount = Infinity }: { maxCount?: number }) =>
      Promise.resolve(log.slice(from === 'start' ? 0 : Number(from)).slice(0, maxCount)),
    lastRevision: () => Promise.resolve(BigInt(log.length) - 1n),
    dispose: () => Promise.resolve(),
  };
  const clockGuard = {
    check: () => {
      const kind = faults.shift();
      if (kind !== undefined) throw new ClockWrong({ kind, aheadMs: 90_000 });
    },
    noteEvents: () => undefined,
    noteAppend: () => undefined,
  };
  const eventStore = new EventStore('', { connect: () => client as unknown as StoreClient, clock, clockGuard });
  const kind = { ...SHORT_STREAM, category: 'counter', independent: true, decider: counter } as const;
  const writer = new StreamWriter(eventStore, codec, kind, clock);
  return { execute: () => writer.execute('1', { at: clock.iso(), by: 'test' }), log, ages };
}

describe('an append whose outcome stays unknown', () => {
  const fate = fc.oneof({ weight: 30, arbitrary: fc.constant<Fate>('never') }, { weight: 1, arbitrary: fc.nat({ max: 100 }) });
  const fates = fc.array(fate, { minLength: 10, maxLength: 200, size: 'max' });

  it('is stored once, as it is told to the caller, and no event is sent long after its date', async () => {
    const rivalAfter = fc.option(fc.nat({ max: 150 }), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(fates, rivalAfter, async (given, rival) => {
        const { execute, log, ages } = writerOn(given, rival === undefined ? {} : { rivalAfter: rival });
        const { events, position } = await execute();
        const own = log.filter(({ id }) => id !== 'rival');
        expect(own.map(({ data }) => data)).toStrictEqual(events.map(({ data }) => data));
        expect(own.map((event) => event.position)).toStrictEqual([position]);
        expect(Math.max(...ages)).toBeLessThan(MAX_AGE_MS);
      }),
      { numRuns: 100 },
    );
  });

  it('is sent with a later date at the same place, also while the clock is refused for some time', async () => {
    const { execute, log, ages } = writerOn(Array<Fate>(120).fill('never'), {
      clockFaults: [undefined, 'database', 'log', 'date', 'date', undefined],
    });
    const { events } = await execute();
    expect(log.map(({ data }) => data)).toStrictEqual(events.map(({ data }) => data));
    expect(ages.filter((age) => age === 0).length).toBeGreaterThan(1);
  });

  it('is refused at once by a wrong clock if nothing was sent before', async () => {
    for (const kind of ['database', 'log'] as const) {
      const { execute, log } = writerOn([], { clockFaults: [kind] });
      await expect(execute()).rejects.toThrow(ClockWrong);
      expect(log).toStrictEqual([]);
    }
  });

  it('gets a later date if the process was paused before it was sent, but once: then its clock is set again and again', async () => {
    const paused = writerOn([], { clockFaults: ['date'] });
    const { events } = await paused.execute();
    expect(paused.log.map(({ data }) => data)).toStrictEqual(events.map(({ data }) => data));
    const { execute, log } = writerOn([], { clockFaults: ['date', 'date'] });
    await expect(execute()).rejects.toThrow(ClockWrong);
    expect(log).toStrictEqual([]);
  });
});
