import shared from '@eventstore/db-client/generated/shared_pb.js';
import service from '@eventstore/db-client/generated/streams_grpc_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { binaryEvent, EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import grpc from '@grpc/grpc-js';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { compareLogs, LogsDiffer } from '../../src/platform/event-sourcing/reading/compare-logs.js';
import { copyLog } from '../../src/platform/event-sourcing/reading/copy-log.js';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { type ExactEvent, type NewEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { LogTree } from '../../src/contexts/evidence/tree/log-tree.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { openPatiently } from '../support/patient-log.js';

const { signal } = new AbortController();
const ignore = (): void => undefined;

/** Values that parsing and serializing may change unexpectedly. */
const AWKWARD: Record<string, unknown>[] = [
  JSON.parse('{"__proto__":{"a":1},"constructor":2}') as Record<string, unknown>,
  { 10: 'ten', 9: 'nine', b: 1, a: 2 },
  { numbers: [0, -0, 1e21, 1e-7, 0.1, 5e-324, Number.MAX_SAFE_INTEGER] },
  { text: '\u0000 \u001f " \\ / \u2028 \u2029 \ud800 é 👩‍🌾 \u007f' },
  { nothing: null, list: [], object: {}, '': '' },
  { long: 'x'.repeat(300_000) },
  { long: 'y'.repeat(300_000) },
];

describe('a copy of a log', () => {
  let stores: [EventStoreProcess, EventStoreProcess];
  let [source, target]: [EventStore, EventStore] = [] as never;

  beforeAll(async () => {
    stores = await Promise.all([startEventStoreProcess(), startEventStoreProcess()]);
    [source, target] = [openPatiently(stores[0].connectionString), openPatiently(stores[1].connectionString)];
    const event = (data: Record<string, unknown>): NewEvent => ({
      id: randomUUID(),
      type: 'Tried',
      data,
      metadata: { $correlationId: 'é', $causationId: '\u2028', schema_version: 1 },
    });
    await source.append('awkward-1', AWKWARD.map(event), -1n);
    // More consecutive events of one stream than one append takes, then two alternating streams.
    for (let n = 0; n < 3; n += 1)
      await source.append(
        'many-1',
        Array.from({ length: 700 }, (_, index) => event({ index })),
        BigInt(n * 700) - 1n,
      );
    for (let n = 0; n < 40; n += 1) await source.append(`turn-${n % 2}`, [event({ n })], BigInt(Math.floor(n / 2)) - 1n);
  });
  afterAll(async () => {
    await Promise.all([source.close(), target.close()]);
    for (const store of stores) await store.close();
  });

  /** Returns all events as they are transferred, without positions and recording times. */
  async function raw({ connectionString }: EventStoreProcess): Promise<object[]> {
    const { Options } = streams.ReadReq;
    const options = new Options()
      .setAll(new Options.AllOptions().setStart(new shared.Empty()))
      .setReadDirection(Options.ReadDirection.FORWARDS)
      .setCount('100000');
    options.setUuidOption(new Options.UUIDOption().setString(new shared.Empty())).setNoFilter(new shared.Empty());
    const client = new service.StreamsClient(new URL(connectionString.replace('esdb:', 'http:')).host, grpc.credentials.createInsecure());
    const found: object[] = [];
    for await (const response of client.read(new streams.ReadReq().setOptions(options)) as AsyncIterable<streams.ReadResp>) {
      const record = response.getEvent()?.getEvent();
      if (!record || record.getMetadataMap().get('type')?.startsWith('$')) continue;
      const metadata = record.getMetadataMap();
      const stream = Buffer.from(record.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString();
      found.push({
        id: record.getId()?.getString(),
        stream,
        revision: record.getStreamRevision(),
        type: metadata.get('type'),
        contentType: metadata.get('content-type'),
        data: record.getData_asB64(),
        metadata: record.getCustomMetadata_asB64(),
      });
    }
    client.close();
    return found;
  }

  it('keeps every byte of data and metadata, every id, and the order', async () => {
    expect(await copyLog(source, target, undefined, ignore, signal)).toBe(AWKWARD.length + 2_100 + 40);
    const [before, after] = [await raw(stores[0]), await raw(stores[1])];
    expect(before).toHaveLength(AWKWARD.length + 2_100 + 40);
    expect(after).toStrictEqual(before);
    expect(await compareLogs(source, target, ignore, signal)).toMatchObject({ events: before.length, streams: 4, complete: true });
  });

  it('resumes after any event, even in the middle of an original append', async () => {
    const part = await startEventStoreProcess();
    const third = openPatiently(part.connectionString);
    try {
      const stopping = new AbortController();
      const stop = (copied: number): void => {
        if (copied > 1_500) stopping.abort(new Error('stopped here'));
      };
      await expect(copyLog(source, third, undefined, stop, stopping.signal)).rejects.toThrow('stopped here');
      const earlier = await compareLogs(source, third, ignore, signal);
      const { last, complete, events } = earlier;
      expect([complete, events > 1_500]).toStrictEqual([false, true]);
      await copyLog(source, third, last?.source, ignore, signal);
      // The rest is read from where the earlier result ends, and the outcome is that of a comparison of everything.
      const pages = jest.spyOn(third, 'exactPage');
      const rest = await compareLogs(source, third, ignore, signal, undefined, earlier);
      expect(pages.mock.calls[0]?.[0]).toBe(last?.target);
      expect(rest).toStrictEqual(await compareLogs(source, third, ignore, signal));
      expect(await raw(part)).toStrictEqual(await raw(stores[0]));
    } finally {
      await third.close();
      await part.close();
    }
  });

  it('refuses a target that another program writes to, or that holds different events', async () => {
    const [newest] = (await source.allPage({ backwards: true, maxCount: 1 })).events;
    await target.append(
      'turn-0',
      [{ id: randomUUID(), type: 'Tried', data: {}, metadata: { $correlationId: '', $causationId: '', schema_version: 1 } }],
      19n,
    );
    await expect(compareLogs(source, target, ignore, signal)).rejects.toThrow(
      new LogsDiffer(
        `The target holds more events than the source: Tried (turn-0@20) at the target's position ${(await target.headPosition()) ?? 0n}.`,
      ),
    );
    await source.append(
      'turn-0',
      [{ id: randomUUID(), type: 'Tried', data: {}, metadata: { $correlationId: '', $causationId: '', schema_version: 1 } }],
      19n,
    );
    await expect(compareLogs(source, target, ignore, signal)).rejects.toThrow(/is not the source's Tried \(turn-0@20\): the id differs\.$/);
    await expect(copyLog(source, target, newest?.position, ignore, signal)).rejects.toThrow(/^The target did not accept turn-0@20/);
  });

  describe('with events that another program or another serializer wrote', () => {
    const ODD: readonly (readonly [data: string, metadata: string])[] = [
      ['{ "b" : 1.0,\n"a":1e3, "c":-0, "d":1E-2 }', '{"schema_version":1, "$correlationId":"x"}'],
      ['{"a":1,"a":2,"\\u0061":3,"\\/":"\\u00e9"}', ''],
      ['{}', '\ufeff{}'],
      ['', '[]'],
      ['\u0000\u0001', 'null'],
      ['{"hash":', '{"hash":"no wallet'],
    ];
    const exact = (data: Buffer, metadata: Buffer, isBinary = false): ExactEvent => ({
      id: randomUUID(),
      type: 'Odd',
      data,
      metadata,
      ...(isBinary && { isBinary: true }),
    });
    const last = async (stream: string): Promise<bigint> => await source.lastRevision(stream);
    /** Returns the root of the tree of the log. */
    async function rootOf(log: EventStore): Promise<string> {
      const tree = new LogTree(log);
      await tree.grow((await log.headPosition()) ?? -1n, { signal });
      return tree.root;
    }
    let copy: EventStoreProcess;
    let odd: EventStore;

    beforeAll(async () => {
      copy = await startEventStoreProcess();
      odd = openPatiently(copy.connectionString);
      await copyLog(source, odd, undefined, ignore, signal);
    });
    afterAll(async () => {
      await odd.close();
      await copy.close();
    });
    async function copyRest(): Promise<void> {
      await copyLog(source, odd, (await compareLogs(source, odd, ignore, signal)).last?.source, ignore, signal);
    }

    it('keeps their bytes, their content type and the root of the tree of the log', async () => {
      const events = ODD.map(([data, metadata]) => exact(Buffer.from(data), Buffer.from(metadata)));
      const bytes = [exact(Buffer.of(0xff, 0xfe, 0), Buffer.of(0x7b, 0xc3, 0x7d)), exact(Buffer.of(1, 2), Buffer.alloc(0), true)];
      await source.appendExactly('odd-1', [...events, ...bytes], await last('odd-1'));
      const client = EventStoreDBClient.connectionString(stores[0].connectionString);
      await client.appendToStream('foreign-1', binaryEvent({ type: 'Foreign', data: Buffer.from([1, 2, 3]) }));
      await client.dispose();
      await copyRest();
      const [before, after] = [await raw(stores[0]), await raw(copy)];
      expect(after).toStrictEqual(before);
      expect(before.at(-1)).toMatchObject({ stream: 'foreign-1', contentType: 'application/octet-stream' });
      expect(await rootOf(odd)).toBe(await rootOf(source));
    });

    it('keeps any bytes in the order of the whole log, and therefore the root', async () => {
      const drawn = fc.record({
        stream: fc.constantFrom('any-1', 'any-2', 'any-3'),
        data: fc.oneof(
          fc.uint8Array({ maxLength: 40 }),
          fc.json().map((text) => Buffer.from(text)),
        ),
        metadata: fc.uint8Array({ maxLength: 40 }),
        isBinary: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 12 }), async (events) => {
          for (const { stream, data, metadata, isBinary } of events)
            await source.appendExactly(stream, [exact(Buffer.from(data), Buffer.from(metadata), isBinary)], await last(stream));
          await copyRest();
          expect(await rootOf(odd)).toBe(await rootOf(source));
        }),
        { numRuns: 25 },
      );
      expect(await raw(copy)).toStrictEqual(await raw(stores[0]));
      expect(await compareLogs(source, odd, ignore, signal)).toMatchObject({ complete: true });
    });

    it('finds a byte of metadata that differs', async () => {
      const event = exact(Buffer.from('{}'), Buffer.from('{"a":1}'));
      await source.appendExactly('differs-1', [event], -1n);
      await odd.appendExactly('differs-1', [{ ...event, metadata: Buffer.from('{"a": 1}') }], -1n);
      await expect(compareLogs(source, odd, ignore, signal)).rejects.toThrow(/Odd \(differs-1@0\): the metadata differs\.$/);
    });
  });
});
