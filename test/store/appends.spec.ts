import {
  ANY,
  type AppendExpectedRevision,
  type AppendResult,
  binaryEvent,
  type EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  STREAM_EXISTS,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { eachInTime } from '../support/in-time.js';
import { connect, newStream, PLAIN, type StoreClient, storeClient } from '../support/store-under-test.js';

let store: StoreClient;
let client: EventStoreDBClient;

beforeAll(async () => {
  store = await storeClient();
  ({ client } = store);
});
afterAll(() => store.stop());

const event = (id: string = randomUUID(), data: object = { amount_kobo: 1 }) => jsonEvent({ id, type: 'Tested', data: { ...data } });
const MEBIBYTE = 1024 * 1024;

async function append(
  stream: string,
  ids: readonly string[],
  expectedRevision: AppendExpectedRevision,
  options: object = {},
): Promise<AppendResult> {
  return await client.appendToStream(
    stream,
    ids.map((id) => event(id)),
    { expectedRevision, ...options },
  );
}

async function idsOf(stream: string): Promise<string[]> {
  const ids: string[] = [];
  for await (const { event: found } of eachInTime(client.readStream(stream))) if (found) ids.push(found.id);
  return ids;
}

/** Creates a stream with three events. */
async function threeEvents(): Promise<{ stream: string; ids: [string, string, string]; first: AppendResult; rest: AppendResult }> {
  const stream = newStream();
  const ids: [string, string, string] = [randomUUID(), randomUUID(), randomUUID()];
  const first = await append(stream, [ids[0]], NO_STREAM);
  const rest = await append(stream, [ids[1], ids[2]], 0n);
  return { stream, ids, first, rest };
}

// Both calls follow the same rules.
describe.each([
  ['BatchAppend', {}],
  ['Append', PLAIN],
])('an append by %s', (_name, options) => {
  it('counts revisions from 0 and returns the last one with a rising position', async () => {
    const stream = newStream();
    const first = await append(stream, [randomUUID()], NO_STREAM, options);
    const second = await append(stream, [randomUUID(), randomUUID()], 0n, options);
    expect(first).toMatchObject({ success: true, nextExpectedRevision: 0n });
    expect(second).toMatchObject({ success: true, nextExpectedRevision: 2n });
    expect(second.position?.commit).toBeGreaterThan(first.position?.commit ?? 0n);
    expect(second.position?.prepare).toBe(second.position?.commit);
  });

  it.each<[string, AppendExpectedRevision, unknown]>([
    ['a revision that has passed', 1n, 1n],
    ['a revision that is still to come', 3n, 3n],
    ['the largest revision there is', 9223372036854775807n, 9223372036854775807n],
    ['no stream', NO_STREAM, 'no_stream'],
  ])('refuses new events when the writer expects %s, and returns the actual revision', async (_case, expectedRevision, expectedVersion) => {
    const { stream, ids } = await threeEvents();
    await expect(append(stream, [randomUUID()], expectedRevision, options)).rejects.toMatchObject({
      type: 'wrong-expected-version',
      streamName: stream,
      expectedVersion,
      actualVersion: 2n,
    });
    expect(await idsOf(stream)).toEqual(ids);
  });

  it.each<[string, AppendExpectedRevision, unknown]>([
    ['a revision', 0n, 0n],
    ['that the stream exists', STREAM_EXISTS, 'stream_exists'],
  ])('refuses an append to a missing stream when the writer expects %s', async (_case, expectedRevision, expectedVersion) => {
    await expect(append(newStream(), [randomUUID()], expectedRevision, options)).rejects.toMatchObject({
      type: 'wrong-expected-version',
      expectedVersion,
      actualVersion: 'no_stream',
    });
  });

  it.each<[string, AppendExpectedRevision]>([
    ['any revision', ANY],
    ['an existing stream', STREAM_EXISTS],
    ['the current revision', 2n],
  ])('writes new events to a stream when the writer expects %s', async (_case, expectedRevision) => {
    const { stream, ids } = await threeEvents();
    const id = randomUUID();
    expect(await append(stream, [id], expectedRevision, options)).toMatchObject({ success: true, nextExpectedRevision: 3n });
    expect(await idsOf(stream)).toEqual([...ids, id]);
  });

  it.each<[string, AppendExpectedRevision]>([
    ['its revision', 0n],
    ['any revision', ANY],
    ['an existing stream', STREAM_EXISTS],
  ])('returns the original result of a repeated append that expects %s', async (_case, expectedRevision) => {
    const { stream, ids, rest } = await threeEvents();
    await append(stream, [randomUUID()], 2n, options);
    expect(await append(stream, [ids[1], ids[2]], expectedRevision, options)).toEqual(rest);
    expect(await idsOf(stream)).toHaveLength(4);
  });

  it('returns the original result of a repeated first append', async () => {
    const { stream, ids, first } = await threeEvents();
    expect(await append(stream, [ids[0]], NO_STREAM, options)).toEqual(first);
  });

  it.each<[string, AppendExpectedRevision, (ids: string[]) => string[]]>([
    ['a known event is followed by a new one', ANY, ([a]) => [a ?? '', randomUUID()]],
    ['a known event is followed by a new one in a stream that has to exist', STREAM_EXISTS, ([a]) => [a ?? '', randomUUID()]],
    ['only the first event is the one at that revision', NO_STREAM, ([a]) => [a ?? '', randomUUID()]],
    ['the events are stored at other revisions', NO_STREAM, ([, b]) => [b ?? '']],
    ['the repetition extends beyond the end', 0n, ([, b, c]) => [b ?? '', c ?? '', randomUUID()]],
  ])('refuses an append in which %s', async (_case, expectedRevision, proposed) => {
    const { stream, ids } = await threeEvents();
    await expect(append(stream, proposed(ids), expectedRevision, options)).rejects.toMatchObject({
      type: 'wrong-expected-version',
      actualVersion: 2n,
    });
    expect(await idsOf(stream)).toEqual(ids);
  });

  it('writes a known event after a new one, and at the current revision, and then knows it by its first place', async () => {
    const { stream, ids, first } = await threeEvents();
    await append(stream, [randomUUID(), ids[0]], ANY, options);
    await append(stream, [ids[0]], 4n, options);
    expect((await idsOf(stream)).filter((id) => id === ids[0])).toHaveLength(3);
    // The event at the expected revision counts, even if its id is stored elsewhere, too.
    expect(await append(stream, [ids[0]], NO_STREAM, options)).toEqual(first);
    expect(await append(stream, [ids[0]], ANY, options)).toEqual(first);
  });

  it('takes the largest revision of 64 bits for the one of a missing stream', async () => {
    const stream = newStream();
    const expected = 2n ** 64n - 1n;
    expect(await append(stream, [randomUUID()], expected, options)).toMatchObject({ nextExpectedRevision: 0n });
    await expect(append(stream, [randomUUID()], expected, options)).rejects.toMatchObject({ type: 'wrong-expected-version' });
  });

  it.each([2n ** 63n, 2n ** 64n - 2n])('refuses the revision %s, which no stream can have', async (expected) => {
    const { stream, ids } = await threeEvents();
    await expect(append(stream, [randomUUID()], expected, options)).rejects.toMatchObject({ type: 'unknown' });
    expect(await idsOf(stream)).toEqual(ids);
  });

  it('accepts almost 1 MiB of data, metadata and types in any number of events, and stores more as a whole or not at all', async () => {
    const most = MEBIBYTE - 5 * 1_100; // EventStoreDB 24.6 counts the data alone; later versions count metadata and types, too.
    const sizes = fc.array(fc.nat(most), { minLength: 1, maxLength: 4 }).map((cuts) => {
      const ends = [0, ...cuts.toSorted((one, other) => one - other), most];
      return ends.slice(1).map((end, index) => end - (ends[index] ?? 0));
    });
    const binary = (size: number) => binaryEvent({ type: 'Measured', data: Buffer.alloc(size), metadata: Buffer.alloc(1_000) });
    await fc.assert(
      fc.asyncProperty(sizes, async (bytes) => {
        const [stream, other] = [newStream(), newStream()];
        const { nextExpectedRevision } = await client.appendToStream(stream, bytes.map(binary), options);
        expect(nextExpectedRevision).toBe(BigInt(bytes.length - 1));
        const more = [...bytes, MEBIBYTE + 1].map(binary);
        // EventStoreDB takes 1 MiB in an append, and KurrentDB from 26.0 the size of a chunk: 256 MiB.
        const outcome = await client.appendToStream(other, more, options).catch((error: unknown) => error);
        if (outcome instanceof Error) {
          expect(outcome).toMatchObject({ type: 'maximum-append-size-exceeded', maxAppendSize: MEBIBYTE });
          await expect(idsOf(other)).rejects.toMatchObject({ type: 'stream-not-found' });
        } else expect(await idsOf(other)).toHaveLength(more.length);
      }),
      { numRuns: 2 },
    );
  });

  it('stores longer names, types and metadata than the ledger has', async () => {
    const [stream, text] = [`${newStream()}-`.padEnd(1_024, 'x'), 'x'.repeat(100_000)];
    const long = jsonEvent({ type: 'T'.repeat(1_000), data: {}, metadata: { text } });
    await client.appendToStream(stream, long, options);
    for await (const { event: found } of eachInTime(client.readStream(stream)))
      expect(found).toMatchObject({ id: long.id, streamId: stream, type: long.type, metadata: long.metadata });
  });

  it.each<[string, AppendExpectedRevision]>([
    ['any revision', ANY],
    ['no stream', NO_STREAM],
  ])('of no events that expects %s leaves a missing stream missing', async (_case, expectedRevision) => {
    const stream = newStream();
    expect(await append(stream, [], expectedRevision, options)).toMatchObject({ success: true });
    await expect(idsOf(stream)).rejects.toMatchObject({ type: 'stream-not-found' });
  });

  it('ignores the case of event ids', async () => {
    const id = randomUUID();
    const stream = newStream();
    const first = await append(stream, [id.toUpperCase()], NO_STREAM, options);
    expect(await append(stream, [id], NO_STREAM, options)).toEqual(first);
    expect(await idsOf(stream)).toEqual([id]);
  });

  it('takes an id in braces or without hyphens for the same id', async () => {
    const id = randomUUID();
    const stream = newStream();
    const first = await append(stream, [id], NO_STREAM, options);
    for (const form of [`{${id}}`, `(${id})`, id.replaceAll('-', '')])
      expect(await append(stream, [form], NO_STREAM, options)).toEqual(first);
    expect(await idsOf(stream)).toEqual([id]);
  });

  it('refuses an id that is not a UUID or has only zeros, and a stream without a name', async () => {
    // EventStoreDB responds to such an append of a batch call a second time, when its deadline has passed, and the client cannot take that.
    const own = connect(store);
    const refused = async (stream: string, id: string): Promise<void> => {
      await expect(own.appendToStream(stream, event(id), options)).rejects.toMatchObject({ type: 'unknown' });
    };
    for (const id of ['42', '', '00000000-0000-0000-0000-000000000000']) await refused(newStream(), id);
    await refused('', randomUUID());
    await own.dispose();
  });

  it('at any revision appends an event again whose id is known from another stream', async () => {
    const { ids, rest } = await threeEvents();
    const stream = newStream();
    for (const revision of [1n, 3n])
      expect(await append(stream, ids.slice(1), ANY, options)).toMatchObject({ success: true, nextExpectedRevision: revision });
    expect(rest.nextExpectedRevision).toBe(2n);
  });
});

describe('a client’s batch call', () => {
  it('takes more events in an append than anybody needs', async () => {
    const many = Array.from({ length: 12_000 }, () => binaryEvent({ type: 't', data: Buffer.alloc(1) }));
    expect(await client.appendToStream(newStream(), many)).toMatchObject({ nextExpectedRevision: 11_999n });
  });

  it('assembles an append from its parts', async () => {
    const stream = newStream();
    const ids = Array.from({ length: 50 }, () => randomUUID());
    await append(stream, ids, NO_STREAM, { batchAppendSize: 1_000 });
    expect(await idsOf(stream)).toEqual(ids);
  });

  it('reports an append whose deadline has passed as timed out, and continues', async () => {
    const stream = newStream();
    await expect(append(stream, [randomUUID()], ANY, { deadline: -60_000 })).rejects.toMatchObject({ type: 'deadline-exceeded' });
    expect(await append(stream, [randomUUID()], NO_STREAM)).toMatchObject({ nextExpectedRevision: 0n });
  });

  it('lets one of many appends at the same revision succeed', async () => {
    const stream = newStream();
    const other = connect(store);
    const writers = Array.from({ length: 40 }, (_unused, index) => (index % 2 ? client : other));
    const outcomes = await Promise.allSettled(
      writers.map((writer) => writer.appendToStream(stream, event(), { expectedRevision: NO_STREAM })),
    );
    await other.dispose();
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await idsOf(stream)).toHaveLength(1);
  });

  it('keeps the order in which one client appends', async () => {
    const stream = newStream();
    const ids = Array.from({ length: 300 }, () => randomUUID());
    const results = await Promise.all(ids.map((id) => append(stream, [id], ANY)));
    expect(results.map(({ nextExpectedRevision }) => nextExpectedRevision)).toEqual(ids.map((_id, index) => BigInt(index)));
    expect(await idsOf(stream)).toEqual(ids);
  });
});

describe('a recorded event', () => {
  it('has the type and data as sent and the time of the append', async () => {
    const stream = newStream();
    const before = Date.now();
    const written = jsonEvent({
      id: randomUUID(),
      type: 'Ünïcode ✓',
      data: { text: '₦ 5', nested: { list: [1, null] } },
      metadata: { $correlationId: 'abc' },
    });
    await client.appendToStream(stream, [written, binaryEvent({ type: 'Bytes', data: Buffer.from([0, 255, 1]) })]);
    const found = [];
    for await (const { event: read } of eachInTime(client.readStream(stream))) found.push(read);
    expect(found[0]).toMatchObject({
      id: written.id,
      streamId: stream,
      type: 'Ünïcode ✓',
      data: written.data,
      metadata: written.metadata,
      isJson: true,
      revision: 0n,
    });
    expect(found[0]?.created.getTime()).toBeGreaterThanOrEqual(before);
    expect(found[0]?.created.getTime()).toBeLessThanOrEqual(Date.now());
    expect(found[1]).toMatchObject({ type: 'Bytes', isJson: false, metadata: undefined, revision: 1n });
    expect(Buffer.from(found[1]?.data as Uint8Array)).toEqual(Buffer.from([0, 255, 1]));
  });
});
