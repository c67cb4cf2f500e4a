import {
  BACKWARDS,
  binaryEvent,
  END,
  type EventStoreDBClient,
  FORWARDS,
  jsonEvent,
  type Position,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { eachInTime, inTime } from '../support/in-time.js';
import { connect, newStream, type StoreUnderTest, storeUnderTest } from '../support/store-under-test.js';

const EVENTS = 40;
const INT_63_MAX = 2n ** 63n - 1n;
const RUNS = { numRuns: 60 };

interface Known {
  readonly id: string;
  readonly position: Position;
}

const mark = `${newStream()}-`;
const stream = `${mark}a`;
/** Events of the stream, in their order; every other event of $all belongs to `noise`, or to somebody else. */
const known: Known[] = [];
let store: StoreUnderTest;
let client: EventStoreDBClient;

beforeAll(async () => {
  store = await storeUnderTest();
  client = connect(store);
  for (let index = 0; index < EVENTS; index += 1) {
    const id = randomUUID();
    const { position } = await client.appendToStream(stream, jsonEvent({ id, type: `type-${index % 3}`, data: { index } }));
    if (position) known.push({ id, position });
    if (index % 4 === 0) await client.appendToStream(`${mark}noise`, jsonEvent({ type: 'noise', data: {} }));
  }
});

afterAll(async () => {
  await client.dispose();
  await store.stop();
});

async function idsOf(reading: AsyncIterable<{ event?: { id: string; streamId: string } | undefined }>): Promise<string[]> {
  const found: string[] = [];
  for await (const { event } of eachInTime(reading)) if (event?.streamId === stream) found.push(event.id);
  return found;
}

const ids = (events: readonly Known[]): string[] => events.map(({ id }) => id);
const positionOf = (index: number): Position => known[index]?.position ?? { commit: -1n, prepare: -1n };
const revision = fc.oneof(fc.bigInt(0n, BigInt(EVENTS) + 3n), fc.constantFrom(2n ** 31n, 2n ** 53n, INT_63_MAX));
const count = fc.oneof(fc.integer({ min: 1, max: EVENTS + 5 }), fc.constantFrom(2 ** 31, Number.MAX_SAFE_INTEGER));

describe('a read of a stream', () => {
  it('returns the events from any revision, in either direction, up to any count', async () => {
    expect(known).toHaveLength(EVENTS);
    await fc.assert(
      fc.asyncProperty(revision, count, async (fromRevision, maxCount) => {
        expect(await idsOf(client.readStream(stream, { fromRevision, maxCount }))).toEqual(
          ids(known.filter((_event, index) => index >= fromRevision).slice(0, maxCount)),
        );
      }),
      RUNS,
    );
    await fc.assert(
      fc.asyncProperty(fc.bigInt(0n, BigInt(EVENTS) + 3n), count, async (fromRevision, maxCount) => {
        expect(await idsOf(client.readStream(stream, { direction: BACKWARDS, fromRevision, maxCount }))).toEqual(
          ids(known.filter((_event, index) => index <= fromRevision).toReversed()).slice(0, maxCount),
        );
      }),
      RUNS,
    );
  });

  it('fails for a revision beyond 63 bits, for a count of 0, and forwards from the end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt(2n ** 63n, 2n ** 64n - 2n), fc.constantFrom(FORWARDS, BACKWARDS), async (fromRevision, direction) => {
        await expect(idsOf(client.readStream(stream, { fromRevision, direction }))).rejects.toMatchObject({ code: 2 });
      }),
      RUNS,
    );
    await expect(idsOf(client.readStream(stream, { maxCount: 0 }))).rejects.toMatchObject({ code: 2 });
    await expect(idsOf(client.readStream(stream, { fromRevision: END }))).rejects.toMatchObject({ code: 2 });
  });

  it('resolves a link to any revision, with -1 as the newest, to nothing if no event has it, and leaves one that names no revision alone', async () => {
    const links = `${mark}links`;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: -3, max: EVENTS + 3 }), fc.constantFrom('', 'x', '1x'), async (target, broken) => {
        const link = (text: string): ReturnType<typeof binaryEvent> => binaryEvent({ type: '$>', data: Buffer.from(text) });
        await client.appendToStream(links, [link(`${target}@${stream}`), link(`${broken}@${stream}`)]);
        const found = [];
        const newest = { direction: BACKWARDS, fromRevision: END, maxCount: 2, resolveLinkTos: true } as const;
        for await (const resolved of eachInTime(client.readStream(links, newest))) found.push(resolved);
        expect([found[0]?.link, found[0]?.event?.type]).toEqual([undefined, '$>']);
        const linked = target === -1 ? known.at(-1) : known[target];
        expect([found[1]?.link?.type, found[1]?.event?.id]).toEqual(['$>', linked?.id]);
      }),
      { numRuns: 15 },
    );
  });
});

describe('a read of $all', () => {
  const index = fc.nat({ max: EVENTS - 1 });

  it('returns the events from any event on, which is included forwards and excluded backwards', async () => {
    await fc.assert(
      fc.asyncProperty(index, fc.integer({ min: 1, max: EVENTS }), async (from, maxCount) => {
        const fromPosition = positionOf(from);
        for (const [direction, expected] of [
          [FORWARDS, known.slice(from)],
          [BACKWARDS, known.slice(0, from).toReversed()],
        ] as const) {
          let count = 0;
          const found: string[] = [];
          for await (const { event } of eachInTime(client.readAll({ direction, fromPosition, maxCount }))) {
            count += 1;
            if (event?.streamId === stream) found.push(event.id);
          }
          expect(found).toEqual(ids(expected).slice(0, found.length));
          expect(count).toBeLessThanOrEqual(maxCount);
          // Fewer than asked for only at the end of the log.
          if (count < maxCount) expect(found).toHaveLength(expected.length);
        }
      }),
      { numRuns: 30 },
    );
  });

  it('finds nothing beyond the end, and fails backwards from there and at a place with prepare behind commit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt(2n ** 60n, INT_63_MAX), index, async (beyond, at) => {
        const fromPosition = { commit: beyond, prepare: beyond };
        expect(await idsOf(client.readAll({ fromPosition }))).toEqual([]);
        await expect(idsOf(client.readAll({ direction: BACKWARDS, fromPosition }))).rejects.toMatchObject({ code: 2 });
        const { commit } = positionOf(at);
        await expect(idsOf(client.readAll({ fromPosition: { commit, prepare: commit + 1n } }))).rejects.toMatchObject({ code: 2 });
      }),
      RUNS,
    );
  });
});

describe('a filtered subscription to $all', () => {
  it('sends every event after any place once, with a checkpoint for each interval', async () => {
    const options = fc.record({ maxSearchWindow: fc.integer({ min: 1, max: 40 }), checkpointInterval: fc.integer({ min: 1, max: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.option(fc.nat({ max: EVENTS - 1 })), options, async (from, windows) => {
        const checkpoints: bigint[] = [];
        const checkpointReached = async (_: unknown, { commit }: Position): Promise<void> => {
          checkpoints.push(commit);
          await Promise.resolve();
        };
        const filter = streamNameFilter({ prefixes: [stream], ...windows, checkpointReached });
        const subscription = client.subscribeToAll({ fromPosition: from === null ? START : positionOf(from), filter });
        const found: string[] = [];
        subscription.on('data', ({ event }) => found.push(event?.id ?? ''));
        await inTime('CaughtUp to a subscription', once(subscription, 'caughtUp'));
        await subscription.unsubscribe();
        expect(found).toEqual(ids(known.slice(from === null ? 0 : from + 1)));
        expect(checkpoints).toEqual([...new Set(checkpoints)].toSorted((a, b) => (a < b ? -1 : 1)));
        if (from !== EVENTS - 1) expect(checkpoints.at(-1)).toBeGreaterThanOrEqual(positionOf(EVENTS - 1).commit);
      }),
      { numRuns: 25 },
    );
  });
});
