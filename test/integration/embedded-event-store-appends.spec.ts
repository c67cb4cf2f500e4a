import {
  ANY,
  END,
  type AppendExpectedRevision,
  EventStoreDBClient,
  jsonEvent,
  NO_STREAM,
  binaryEvent,
  STREAM_EXISTS,
  BACKWARDS,
  type AppendResult,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStoreServer, startEventStoreServer } from '../../embedded/event-store/server.js';

let dataDir: string;
let server: EventStoreServer;
let client: EventStoreDBClient;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'event-store-'));
  server = await startEventStoreServer({ dataDir });
  client = EventStoreDBClient.connectionString(server.connectionString);
});

afterAll(async () => {
  await client.dispose();
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
});

const event = (id: string = randomUUID(), data: object = { amount_kobo: 1 }) => jsonEvent({ id, type: 'WalletDebited', data: { ...data } });
const newStream = (): string => `wallet-${randomUUID()}`;

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
  for await (const { event: found } of client.readStream(stream)) if (found) ids.push(found.id);
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

// Both calls follow the same rules; with credentials, the client uses the plain call.
describe.each([
  ['BatchAppend', {}],
  ['Append', { credentials: { username: 'admin', password: 'changeit' } }],
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
    ['the largest revision there is', 18446744073709551615n, 18446744073709551615n],
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

  it('writes a known event after a new one, and at the current revision', async () => {
    const { stream, ids, first } = await threeEvents();
    await append(stream, [randomUUID(), ids[0]], ANY, options);
    await append(stream, [ids[0]], 4n, options);
    expect((await idsOf(stream)).filter((id) => id === ids[0])).toHaveLength(3);
    // The event at the expected revision counts, even if its id is stored elsewhere, too.
    expect(await append(stream, [ids[0]], NO_STREAM, options)).toEqual(first);
  });

  it('refuses more than 1 MiB, and stores nothing of it', async () => {
    const stream = newStream();
    const large = Array.from({ length: 3 }, () => event(undefined, { text: 'x'.repeat(400_000) }));
    await expect(client.appendToStream(stream, large, options)).rejects.toMatchObject({
      type: 'maximum-append-size-exceeded',
      maxAppendSize: 1_048_576,
    });
    await expect(idsOf(stream)).rejects.toMatchObject({ type: 'stream-not-found' });
  });

  it('ignores the case of event ids', async () => {
    const id = randomUUID();
    const stream = newStream();
    const first = await append(stream, [id.toUpperCase()], NO_STREAM, options);
    expect(await append(stream, [id], NO_STREAM, options)).toEqual(first);
    expect(await idsOf(stream)).toEqual([id]);
  });

  it('refuses an id that is not a UUID and a stream without a name', async () => {
    await expect(append(newStream(), ['42'], ANY, options)).rejects.toThrow();
    await expect(append('', [randomUUID()], ANY, options)).rejects.toThrow();
  });
});

describe('a client’s batch call', () => {
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
    const other = EventStoreDBClient.connectionString(server.connectionString);
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
    for await (const { event: read } of client.readStream(stream)) found.push(read);
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

  it('may be the metadata of a stream, in a stream of its own', async () => {
    const stream = newStream();
    expect(await client.getStreamMetadata(stream)).toEqual({ streamName: stream });
    await client.setStreamMetadata(stream, { maxCount: 10, owner: 'ledger' });
    await client.setStreamMetadata(stream, { maxCount: 20 }, { expectedRevision: 0n });
    expect(await client.getStreamMetadata(stream)).toMatchObject({ metadata: { maxCount: 20 } });
    for await (const { event: newest } of client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 })) {
      expect(newest).toMatchObject({ streamId: `$$${stream}`, type: '$metadata' });
    }
  });
});

describe('the node', () => {
  it('reports itself as the only node, and the leader, to a client that discovers a cluster', async () => {
    const found = EventStoreDBClient.connectionString(`esdb+discover://127.0.0.1:${server.port}?tls=false`);
    const stream = newStream();
    expect(await found.appendToStream(stream, event())).toMatchObject({ nextExpectedRevision: 0n });
    await found.dispose();
  });

  it('responds that deletion is not implemented', async () => {
    const { stream } = await threeEvents();
    await expect(client.deleteStream(stream)).rejects.toMatchObject({ code: 12 });
    await expect(client.tombstoneStream(stream)).rejects.toMatchObject({ code: 12 });
  });
});

/** The same rules as a minimal model: a list of ids. */
class Model {
  readonly ids: string[] = [];

  append(expected: AppendExpectedRevision, ids: readonly string[]): bigint | 'wrong' {
    const last = this.ids.length - 1;
    if (expected === ANY || expected === STREAM_EXISTS) {
      if (expected === STREAM_EXISTS && last < 0) return 'wrong';
      const known = ids.map((id) => this.ids.lastIndexOf(id));
      if (known[0] !== -1) return known.includes(-1) ? 'wrong' : BigInt(known.at(-1) ?? -1);
    } else {
      const before = expected === NO_STREAM ? -1 : Number(expected);
      if (before > last) return 'wrong';
      if (before < last) return ids.every((id, index) => this.ids[before + 1 + index] === id) ? BigInt(before + ids.length) : 'wrong';
    }
    this.ids.push(...ids);
    return BigInt(this.ids.length - 1);
  }
}

describe('any sequence of appends', () => {
  it('has the result that the model predicts', async () => {
    const pool = Array.from({ length: 5 }, () => randomUUID());
    const expectation = fc.oneof(fc.constantFrom<AppendExpectedRevision>(ANY, NO_STREAM, STREAM_EXISTS), fc.bigInt(0n, 6n));
    const step = fc.record({ expected: expectation, ids: fc.array(fc.constantFrom(...pool), { minLength: 1, maxLength: 3 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const stream = newStream();
        const model = new Model();
        for (const { expected, ids } of steps) {
          const result = await append(stream, ids, expected).then(
            ({ nextExpectedRevision }) => nextExpectedRevision,
            (error: unknown) => ((error as { type?: string }).type === 'wrong-expected-version' ? 'wrong' : error),
          );
          expect(result).toEqual(model.append(expected, ids));
        }
        if (model.ids.length > 0) expect(await idsOf(stream)).toEqual(model.ids);
      }),
      { numRuns: 60 },
    );
  });
});
