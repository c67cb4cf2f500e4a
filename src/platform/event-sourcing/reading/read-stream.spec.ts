import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Clock } from '../../../kernel/clock.js';
import { type StoreClient } from '../event-store-client/store-client.js';
import { StreamTombstoned } from '../event-store-client/store-errors.js';
import { StreamReader, HistoryMissing, type StreamRange } from './read-stream.js';
import { type StoredEvent } from '../recorded-event.js';

const clock = { delay: () => Promise.resolve() } as unknown as Clock;

/**
 * A cause that hides events of a stream: all before a revision, all but the newest, all, single ones that were scavenged, or a tombstone. A store
 * never scavenges the last event.
 */
interface Hiding {
  readonly before: number;
  readonly maxCount: number;
  readonly isDeleted: boolean;
  readonly isTombstoned: boolean;
  readonly scavenged: readonly number[];
}

const NOTHING: Hiding = { before: 0, maxCount: Infinity, isDeleted: false, isTombstoned: false, scavenged: [] };

function eventsOf(count: number): StoredEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `e${index}`,
    stream: 'wallet-1',
    revision: BigInt(index),
    position: BigInt(index * 10),
    type: 'Happened',
    data: {},
    metadata: { $correlationId: 'c', schema_version: 1 },
  }));
}

/** Reads as the store does: from a revision on, inclusive both ways; backwards from beyond the end it begins at the last event. */
function rangeOf(events: readonly StoredEvent[], { from, backwards = false, maxCount = Infinity }: StreamRange): StoredEvent[] {
  const inOrder = backwards ? events.toReversed() : [...events];
  const start = from ?? (backwards ? 2n ** 60n : 0n);
  return inOrder.filter(({ revision }) => (backwards ? revision <= start : revision >= start)).slice(0, maxCount);
}

function readerOf(count: number, { before, maxCount, isDeleted, isTombstoned, scavenged }: Hiding): StreamReader {
  const all = eventsOf(count);
  const shown = isDeleted
    ? []
    : all.filter(
        ({ revision }) =>
          Number(revision) >= Math.max(before, count - maxCount) &&
          (!scavenged.includes(Number(revision)) || Number(revision) === count - 1),
      );
  const client = {
    readStream: (_stream: string, from: 'start' | 'end' | bigint, options: StreamRange) =>
      isTombstoned
        ? Promise.reject(new StreamTombstoned('deleted'))
        : Promise.resolve(rangeOf(shown, { ...options, ...(typeof from === 'bigint' ? { from } : {}) })),
    lastRevision: () => (isTombstoned ? Promise.reject(new StreamTombstoned('deleted')) : Promise.resolve(BigInt(count) - 1n)),
  };
  return new StreamReader((work) => work(client as unknown as StoreClient), clock);
}

async function outcomeOf(reading: Promise<readonly StoredEvent[]>): Promise<readonly bigint[] | HistoryMissing> {
  try {
    return (await reading).map(({ revision }) => revision);
  } catch (error) {
    if (error instanceof HistoryMissing) return error;
    throw error;
  }
}

const hiding: fc.Arbitrary<Hiding> = fc.record({
  before: fc.nat({ max: 8 }),
  maxCount: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 8 })),
  isDeleted: fc.boolean(),
  isTombstoned: fc.boolean(),
  scavenged: fc.uniqueArray(fc.nat({ max: 6 }), { maxLength: 2 }),
});
const range: fc.Arbitrary<StreamRange> = fc.record(
  { from: fc.bigInt({ min: 0n, max: 8n }), backwards: fc.boolean(), maxCount: fc.integer({ min: 1, max: 9 }) },
  { requiredKeys: [] },
);

describe('a read of a stream', () => {
  it('returns what the stream has ever held, or names the stream whose history is missing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 7 }), hiding, range, async (count, hidden, wanted) => {
        const found = await outcomeOf(readerOf(count, hidden).read('wallet-1', wanted));
        const truth = rangeOf(eventsOf(count), wanted).map(({ revision }) => revision);
        if (!(found instanceof HistoryMissing)) expect(found).toStrictEqual(truth);
        else expect(found.stream).toBe('wallet-1');
      }),
      { numRuns: 2_000 },
    );
  });

  it('returns every range of a stream that is whole, and none of a stream that never was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: 7 }), range, async (count, wanted) => {
        const found = await outcomeOf(readerOf(count, NOTHING).read('wallet-1', wanted));
        expect(found).toStrictEqual(rangeOf(eventsOf(count), wanted).map(({ revision }) => revision));
      }),
    );
  });

  it('says from which revision the stream is there, and up to which it was', async () => {
    const missing = async (hidden: Partial<Hiding>) => {
      const { oldest, last } = (await outcomeOf(readerOf(5, { ...NOTHING, ...hidden }).read('wallet-1', {}))) as HistoryMissing;
      return [oldest, last];
    };
    expect(await missing({ before: 3 })).toStrictEqual([3n, 4n]);
    expect(await missing({ maxCount: 1 })).toStrictEqual([4n, 4n]);
    expect(await missing({ isDeleted: true })).toStrictEqual([undefined, 4n]);
    expect(await missing({ before: 9 })).toStrictEqual([undefined, 4n]);
    expect(await missing({ scavenged: [0, 1] })).toStrictEqual([2n, 4n]);
    expect(await missing({ scavenged: [2] })).toStrictEqual([3n, 4n]);
    expect(await missing({ isTombstoned: true })).toStrictEqual([undefined, undefined]);
  });

  it('refuses also the last event of a stream that is known to have no beginning, until it has one again', async () => {
    const reader = readerOf(5, { ...NOTHING, before: 3 });
    expect(await outcomeOf(reader.read('wallet-1', { backwards: true, maxCount: 1 }))).toStrictEqual([4n]);
    await outcomeOf(reader.read('wallet-1', {}));
    expect(await outcomeOf(reader.read('wallet-1', { backwards: true, maxCount: 1 }))).toBeInstanceOf(HistoryMissing);
    expect(reader.missing.list()).toHaveLength(1);
    const restored = readerOf(5, NOTHING);
    restored.missing.add(new HistoryMissing('wallet-1', 3n, 4n));
    expect(await outcomeOf(restored.read('wallet-1', { backwards: true, maxCount: 1 }))).toStrictEqual([4n]);
    expect(restored.missing.list()).toStrictEqual([]);
  });
});
