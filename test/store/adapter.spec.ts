import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { EventStore, NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { type NewEvent, type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { replayInBatches, subscribeInBatches } from '../../src/platform/projecting/applying/batches.js';
import { NEVER_STALLS_MS } from '../support/patient-log.js';
import { newStream, type StoreUnderTest, storeUnderTest, withOption } from '../support/store-under-test.js';

const WRITERS = 32;
/** More than EventStoreDB carries on a connection at a time. */
const READS = 300;

let store: StoreUnderTest;
let adapter: EventStore;
const warnings: string[] = [];

beforeAll(async () => {
  store = await storeUnderTest();
  // A busy machine that runs neither the test nor the store for some seconds would end the connection, and with it the subscription.
  const url = withOption(store.connectionString, 'keepAliveInterval=-1');
  adapter = new EventStore(url, { stallTimeoutMs: NEVER_STALLS_MS, onWarning: (message) => warnings.push(message) });
});
afterAll(async () => {
  await adapter.close();
  await store.stop();
});

const event = (n = 0): NewEvent => ({
  id: randomUUID(),
  type: 'Happened',
  data: { n, text: 'ẹ̀kọ́' },
  metadata: { $correlationId: 'c', $causationId: 'c', schema_version: 1 },
});
const idsOf = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);

describe('the adapter on any event store', () => {
  it('appends at an exact revision, and reads back what it wrote', async () => {
    const stream = newStream();
    const events = [event(1), event(2), event(3)];
    expect(await adapter.append(stream, events.slice(0, 2), NO_EVENTS)).toMatchObject({ kind: 'appended', revision: 1n });
    for (const revision of [NO_EVENTS, 0n, 5n])
      expect(await adapter.append(stream, [event()], revision)).toStrictEqual({ kind: 'wrong_revision' });
    expect(await adapter.append(stream, events.slice(2), 1n)).toMatchObject({ kind: 'appended', revision: 2n });
    const stored = await adapter.readStream(stream);
    expect(stored.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }))).toStrictEqual(events);
    expect((await adapter.lastEvent(stream))?.revision).toBe(2n);
    expect(await adapter.readStream(newStream())).toStrictEqual([]);
  });

  it('recognizes an append that is sent again, also when others have followed', async () => {
    const stream = newStream();
    const [first, second] = [[event(1), event(2)], [event(3)]];
    const appended = await adapter.append(stream, first, NO_EVENTS);
    expect(await adapter.append(stream, first, NO_EVENTS)).toStrictEqual(appended);
    await adapter.append(stream, second, 1n);
    expect(await adapter.append(stream, first, NO_EVENTS)).toMatchObject({ kind: 'appended', revision: 1n });
    expect(idsOf(await adapter.readStream(stream))).toStrictEqual(idsOf([...first, ...second]));
  });

  it('lets exactly one of several writers append at a revision', async () => {
    const stream = newStream();
    for (let revision = NO_EVENTS; revision < 4n; revision += 1n) {
      const results = await Promise.all(Array.from({ length: WRITERS }, (_, n) => adapter.append(stream, [event(n)], revision)));
      expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(1);
    }
    expect(await adapter.readStream(stream)).toHaveLength(5);
  });

  it('finds no event at a position that none has', async () => {
    const events = [event(1), event(2)];
    await adapter.append(newStream(), events, NO_EVENTS);
    const head = (await adapter.headPosition()) ?? 0n;
    // The embedded event store has an event at each number up to the head, and EventStoreDB has none between two.
    for (const position of [head - 1n, head + 1n, head + 1_000_000n])
      for (const found of [await adapter.eventAt(position), await adapter.rawEventAt(position)])
        expect([position, undefined]).toContain(found?.position);
    expect((await adapter.eventAt(head))?.id).toBe(events[1]?.id);
    expect(warnings).toStrictEqual([]);
  });

  it('reads more streams at a time than a connection carries', async () => {
    const stream = newStream();
    await adapter.append(stream, [event()], NO_EVENTS);
    const read = await Promise.all(Array.from({ length: READS }, (_, n) => adapter.readStream(n % 2 ? stream : newStream())));
    expect(read.map(({ length }) => length)).toStrictEqual(read.map((_, n) => n % 2));
  });

  it('delivers each event once and in order to a subscription that catches up while others append, as a replay does', async () => {
    const streams = Array.from({ length: 5 }, newStream);
    const before = await adapter.headPosition();
    const appendOne = (stream: string, revision: bigint): Promise<unknown> => adapter.append(stream, [event(Number(revision))], revision);
    for (const stream of streams) await appendOne(stream, NO_EVENTS);
    const ours = (events: readonly StoredEvent[]): StoredEvent[] => events.filter(({ stream }) => streams.includes(stream));
    const subscribed: StoredEvent[] = [];
    const ended = new AbortController();
    const appending = (async () => {
      for (let revision = 0n; revision < 20n; revision += 1n) await Promise.all(streams.map((stream) => appendOne(stream, revision)));
    })();
    for await (const batch of subscribeInBatches(adapter, before, 7, ended.signal)) {
      subscribed.push(...ours(batch));
      if (subscribed.length >= 21 * streams.length) break;
    }
    ended.abort();
    await appending;
    const head = (await adapter.headPosition()) ?? 0n;
    const replayed: StoredEvent[] = [];
    for await (const batch of replayInBatches(adapter, before, head, 11, new AbortController().signal)) replayed.push(...ours(batch));
    expect(idsOf(replayed)).toStrictEqual(idsOf(subscribed));
    for (const stream of streams) {
      const revisions = subscribed.filter((each) => each.stream === stream).map(({ revision }) => revision);
      expect(revisions).toStrictEqual(revisions.map((_, index) => BigInt(index)));
    }
  });

  it('can tell that the store accepts appends, and warns of nothing', async () => {
    await adapter.checkAppends();
    expect(warnings).toStrictEqual([]);
  });
});
