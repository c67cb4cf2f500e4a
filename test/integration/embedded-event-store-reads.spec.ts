import {
  BACKWARDS,
  END,
  EventStoreDBClient,
  FORWARDS,
  jsonEvent,
  type ReadAllOptions,
  type ReadStreamOptions,
  type ResolvedEvent,
  START,
  type Position,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStoreServer, startEventStoreServer } from '../../embedded/event-store/serving/server.js';

/** More events, and more bytes, than one page holds. */
const SMALL_EVENTS = 3_000;
const LARGE_EVENTS = 12;
const LARGE_BYTES = 300_000;

let dataDir: string;
let server: EventStoreServer;
let client: EventStoreDBClient;
/** The appended events, in order. */
const log: { id: string; stream: string; position: Position }[] = [];

async function append(stream: string, count: number, data: object = {}): Promise<void> {
  for (let left = count; left > 0; left -= 100) {
    const events = Array.from({ length: Math.min(100, left) }, () => jsonEvent({ id: randomUUID(), type: 'Noted', data: { ...data } }));
    await client.appendToStream(stream, events);
    for (const { id } of events) log.push({ id, stream, position: { commit: 0n, prepare: 0n } });
  }
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'event-store-'));
  server = await startEventStoreServer({ dataDir });
  client = EventStoreDBClient.connectionString(server.connectionString);
  await append('five', 5);
  await append('long', SMALL_EVENTS);
  for (let index = 0; index < LARGE_EVENTS; index += 1) await append('large', 1, { text: 'x'.repeat(LARGE_BYTES) });
  let index = 0;
  for await (const { event } of client.readAll()) {
    const entry = log[index];
    if (event?.position && entry) log[index] = { ...entry, position: event.position };
    index += 1;
  }
});

afterAll(async () => {
  await client.dispose();
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function revisions(stream: string, options: ReadStreamOptions): Promise<number[]> {
  const found: number[] = [];
  for await (const { event } of client.readStream(stream, options)) found.push(Number(event?.revision));
  return found;
}

async function readAllIds(options: ReadAllOptions): Promise<string[]> {
  const found: string[] = [];
  for await (const { event } of client.readAll(options)) found.push(event?.id ?? '');
  return found;
}

const idsIn = (entries: readonly { id: string }[]): string[] => entries.map(({ id }) => id);
const positionOf = (index: number): Position => log[index]?.position ?? { commit: -1n, prepare: -1n };

describe('a read of a stream', () => {
  it.each<[string, ReadStreamOptions, number[]]>([
    ['forwards from the start', { direction: FORWARDS, fromRevision: START }, [0, 1, 2, 3, 4]],
    ['forwards from a revision, which is included', { fromRevision: 2n }, [2, 3, 4]],
    ['forwards from the last revision', { fromRevision: 4n }, [4]],
    ['forwards from beyond the end', { fromRevision: 5n }, []],
    ['forwards from the largest revision', { fromRevision: 2n ** 63n - 1n }, []],
    ['forwards, at most two', { fromRevision: 1n, maxCount: 2 }, [1, 2]],
    ['forwards, at most more than there are', { fromRevision: 3n, maxCount: 10 }, [3, 4]],
    ['backwards from the end', { direction: BACKWARDS, fromRevision: END }, [4, 3, 2, 1, 0]],
    ['backwards from a revision, which is included', { direction: BACKWARDS, fromRevision: 2n }, [2, 1, 0]],
    ['backwards from beyond the end', { direction: BACKWARDS, fromRevision: 99n }, [4, 3, 2, 1, 0]],
    ['backwards from the start', { direction: BACKWARDS, fromRevision: START }, [0]],
    ['backwards, at most one', { direction: BACKWARDS, fromRevision: END, maxCount: 1 }, [4]],
  ])('returns events %s', async (_case, options, expected) => {
    expect(await revisions('five', options)).toEqual(expected);
  });

  it.each<[string, ReadStreamOptions]>([
    ['forwards from the end', { fromRevision: END }],
    ['from a revision beyond 63 bits', { fromRevision: 2n ** 63n }],
    ['of no events', { maxCount: 0 }],
    ['of no events of a stream that does not exist', { maxCount: 0 }],
  ])('%s fails', async (title, options) => {
    await expect(revisions(title.includes('not exist') ? 'nobody' : 'five', options)).rejects.toMatchObject({ code: 2 });
  });

  it('reports that a stream was not found', async () => {
    await expect(revisions('nobody', {})).rejects.toMatchObject({ type: 'stream-not-found', streamName: 'nobody' });
  });

  it('accepts any stream name, and does not match names by prefix', async () => {
    const strange = ['a', 'a\u0000', 'a\u0000\u0001', 'ä', '\u{1F600}', 'x'.repeat(1_000)];
    for (const stream of strange) await append(stream, 1);
    for (const stream of strange) expect(await revisions(stream, {})).toEqual([0]);
    log.splice(-strange.length);
  });

  it('continues over many pages in both directions', async () => {
    const all = Array.from({ length: SMALL_EVENTS }, (_unused, revision) => revision);
    expect(await revisions('long', {})).toEqual(all);
    expect(await revisions('long', { direction: BACKWARDS, fromRevision: END })).toEqual(all.toReversed());
    expect(await revisions('large', {})).toHaveLength(LARGE_EVENTS);
  });

  it('ends while others keep appending', async () => {
    const stopping = new AbortController();
    const appender = (async () => {
      while (!stopping.signal.aborted) await client.appendToStream('moving', jsonEvent({ type: 'Noted', data: {} }));
    })();
    await client.appendToStream('moving', jsonEvent({ type: 'Noted', data: {} }));
    for (let round = 0; round < 20; round += 1) {
      const found = await revisions('moving', {});
      expect(found).toEqual(found.map((_unused, revision) => revision));
    }
    stopping.abort();
    await appender;
  });

  it('can be cancelled before its end', async () => {
    const reading = client.readStream('large');
    const [first] = (await once(reading, 'data')) as [ResolvedEvent];
    await reading.cancel();
    expect(first.event?.revision).toBe(0n);
    expect(await revisions('five', {})).toHaveLength(5);
  });
});

describe('a read of all events', () => {
  const upTo = (): string[] => idsIn(log);

  it('returns every event, in the order of rising positions', async () => {
    const ids = await readAllIds({ maxCount: log.length });
    expect(ids).toEqual(upTo());
    const positions = log.map(({ position }) => position.commit);
    expect(positions).toEqual(positions.toSorted((a, b) => (a < b ? -1 : 1)));
    expect(new Set(positions).size).toBe(positions.length);
  });

  it('includes the given position forwards', async () => {
    expect(await readAllIds({ fromPosition: positionOf(3), maxCount: 3 })).toEqual(idsIn(log.slice(3, 6)));
  });

  it('excludes the given position backwards', async () => {
    expect(await readAllIds({ direction: BACKWARDS, fromPosition: positionOf(3), maxCount: 10 })).toEqual(
      idsIn(log.slice(0, 3).toReversed()),
    );
  });

  it('continues backwards from the end over many pages', async () => {
    const all = await readAllIds({ direction: BACKWARDS, fromPosition: END });
    expect(all.toReversed().slice(0, log.length)).toEqual(upTo());
  });

  it.each<[string, ReadAllOptions]>([
    ['forwards from the end', { fromPosition: END }],
    ['backwards from the start', { direction: BACKWARDS, fromPosition: START }],
    ['forwards from beyond the end', { fromPosition: { commit: 1n << 60n, prepare: 1n << 60n } }],
  ])('finds nothing %s', async (_case, options) => {
    expect(await readAllIds(options)).toEqual([]);
  });
});
