import { EventStoreDBClient, jsonEvent, type ResolvedEvent, START } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStoreServer, startEventStoreServer } from '../../embedded/event-store/serving/server.js';
import { until } from '../support/until.js';

const EVENTS = 4_000;
/** 20 MB at 100 kB an event are many times what the buffers between server and subscriber hold. */
const LARGE_EVENTS = 200;
/** Events of an append. The large ones of 10 are about as large as an append may be. */
const BATCH = { small: 50, large: 10 };

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

async function appendAll(stream: string, count: number, batch: number, text = ''): Promise<void> {
  for (let index = 0; index < count; index += batch) {
    await client.appendToStream(
      stream,
      Array.from({ length: batch }, (_unused, offset) => jsonEvent({ type: 'Noted', data: { index: index + offset, text } })),
    );
  }
}

const revisions = Array.from({ length: EVENTS }, (_unused, revision) => revision);

describe('the transition from catch-up to live', () => {
  it('neither loses nor repeats an event while others append', async () => {
    const stream = `wallet-${randomUUID()}`;
    await appendAll(stream, EVENTS / 4, BATCH.small);
    const appending = appendAll(stream, (EVENTS * 3) / 4, BATCH.small);
    const subscriptions = [
      client.subscribeToAll({ fromPosition: START }),
      client.subscribeToStream(stream),
      client.subscribeToAll({ fromPosition: START }),
    ];
    const received = subscriptions.map((subscription) => {
      const seen: number[] = [];
      subscription.on('data', ({ event }: ResolvedEvent) => {
        if (event?.streamId === stream) seen.push(Number(event.revision));
      });
      return seen;
    });
    await appending;
    await until(() => received.every((seen) => seen.length >= EVENTS));
    for (const subscription of subscriptions) await subscription.unsubscribe();
    for (const seen of received) expect(seen).toEqual(revisions);
  });

  it('delivers everything to a paused subscriber once it resumes, and blocks no appends meanwhile', async () => {
    const stream = `large-${randomUUID()}`;
    const subscription = client.subscribeToStream(stream, { fromRevision: START }, { highWaterMark: 1 });
    await once(subscription, 'confirmation');
    await appendAll(stream, LARGE_EVENTS, BATCH.large, 'x'.repeat(100_000));
    const seen: number[] = [];
    subscription.on('data', ({ event }: ResolvedEvent) => seen.push(Number(event?.revision)));
    await until(() => seen.length >= LARGE_EVENTS);
    await subscription.unsubscribe();
    expect(seen).toEqual(revisions.slice(0, LARGE_EVENTS));
  });
});
