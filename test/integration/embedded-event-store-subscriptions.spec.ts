import {
  type AllStreamSubscription,
  END,
  EventStoreDBClient,
  eventTypeFilter,
  type Filter,
  jsonEvent,
  type Position,
  type ResolvedEvent,
  START,
  type StreamSubscription,
  streamNameFilter,
  excludeSystemEvents,
} from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStoreServer, startEventStoreServer } from '../../embedded/event-store/serving/server.js';
import { until } from '../support/until.js';

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

const newStream = (): string => `wallet-${randomUUID()}`;

async function append(stream: string, count: number, type = 'Noted'): Promise<Position[]> {
  const positions: Position[] = [];
  for (let index = 0; index < count; index += 1) {
    const { position } = await client.appendToStream(stream, jsonEvent({ type, data: { index } }));
    if (position) positions.push(position);
  }
  return positions;
}

/** Returns the first events that arrive and ends the subscription; rejects if the subscription fails. */
async function take(subscription: AllStreamSubscription | StreamSubscription, count: number): Promise<string[]> {
  const found: string[] = [];
  await new Promise<void>((resolve, reject) => {
    subscription.on('error', reject);
    subscription.on('data', ({ event }: ResolvedEvent) => {
      if (found.push(`${event?.streamId} ${event?.revision}`) === count) resolve();
    });
  });
  await subscription.unsubscribe();
  return found.slice(0, count);
}

const named = (stream: string, ...revisions: number[]): string[] => revisions.map((revision) => `${stream} ${revision}`);

describe('a subscription to a stream', () => {
  it('is confirmed, delivers existing events, reports that it has caught up, and continues live', async () => {
    const stream = newStream();
    await append(stream, 3);
    const subscription = client.subscribeToStream(stream);
    const signs: string[] = [];
    for (const sign of ['confirmation', 'caughtUp', 'data']) subscription.on(sign, () => signs.push(sign));
    await once(subscription, 'caughtUp');
    const live = once(subscription, 'data');
    await append(stream, 1);
    await live;
    expect(signs).toEqual(['confirmation', 'data', 'data', 'data', 'caughtUp', 'data']);
    await subscription.unsubscribe();
  });

  it('starts after the given revision', async () => {
    const stream = newStream();
    await append(stream, 4);
    expect(await take(client.subscribeToStream(stream, { fromRevision: 1n }), 2)).toEqual(named(stream, 2, 3));
  });

  it('delivers only new events from the end', async () => {
    const stream = newStream();
    await append(stream, 2);
    const subscription = client.subscribeToStream(stream, { fromRevision: END });
    const taken = take(subscription, 1);
    await once(subscription, 'caughtUp');
    await append(stream, 1);
    expect(await taken).toEqual(named(stream, 2));
  });

  it('waits for a stream that does not exist', async () => {
    const stream = newStream();
    const subscription = client.subscribeToStream(stream, { fromRevision: START });
    const taken = take(subscription, 2);
    await once(subscription, 'caughtUp');
    await append(newStream(), 1);
    await append(stream, 2);
    expect(await taken).toEqual(named(stream, 0, 1));
  });
});

describe('a subscription to all events', () => {
  it('starts after the given position', async () => {
    const stream = newStream();
    const [, second] = await append(stream, 4);
    expect(await take(client.subscribeToAll({ fromPosition: second ?? START }), 2)).toEqual(named(stream, 2, 3));
  });

  it('delivers only new events from the end', async () => {
    const stream = newStream();
    await append(stream, 1);
    const subscription = client.subscribeToAll({ fromPosition: END });
    const taken = take(subscription, 2);
    await once(subscription, 'caughtUp');
    await append(stream, 2);
    expect(await taken).toEqual(named(stream, 1, 2));
  });

  it('delivers system events unless they are filtered out', async () => {
    const stream = newStream();
    const from = (await append(stream, 1))[0] ?? START;
    await client.appendToStream(`$${stream}`, jsonEvent({ type: '$changed', data: {} }));
    await append(stream, 1);
    expect(await take(client.subscribeToAll({ fromPosition: from }), 2)).toEqual([`$${stream} 0`, `${stream} 1`]);
    expect(await take(client.subscribeToAll({ fromPosition: from, filter: excludeSystemEvents() }), 1)).toEqual(named(stream, 1));
  });

  it.each<[string, (mark: string) => Filter]>([
    ['prefixes of stream names', (mark) => streamNameFilter({ prefixes: [`a-${mark}`, `b-${mark}`] })],
    ['a regular expression for stream names', (mark) => streamNameFilter({ regex: `^[ab]\\-${mark}` })],
    ['prefixes of event types', (mark) => eventTypeFilter({ prefixes: [`A${mark}`, `B${mark}`] })],
    ['a regular expression for event types', (mark) => eventTypeFilter({ regex: `^(A|B)${mark}$` })],
  ])('is filtered by %s, in catch-up and live', async (_case, filterFor) => {
    const mark = randomUUID();
    const round = async (): Promise<void> => {
      for (const name of ['a', 'c', 'b']) await append(`${name}-${mark}`, 1, `${name.toUpperCase()}${mark}`);
    };
    await round();
    const subscription = client.subscribeToAll({ fromPosition: START, filter: filterFor(mark) });
    const taken = take(subscription, 4);
    await once(subscription, 'caughtUp');
    await round();
    expect(await taken).toEqual([`a-${mark} 0`, `b-${mark} 0`, `a-${mark} 1`, `b-${mark} 1`]);
  });

  it('refuses an invalid regular expression', async () => {
    const subscription = client.subscribeToAll({ filter: streamNameFilter({ regex: '(' }) });
    await expect(take(subscription, 1)).rejects.toMatchObject({ code: 2 });
  });

  it('reports its position to a filtered subscriber at the requested interval, in catch-up and live', async () => {
    const positions = await append(newStream(), 11);
    const checkpoints: bigint[] = [];
    const checkpointReached = async (_subscription: AllStreamSubscription, { commit }: Position): Promise<void> => {
      checkpoints.push(commit);
      await Promise.resolve();
    };
    const filter = streamNameFilter({ prefixes: ['nothing-has-this-name'], checkpointInterval: 2, maxSearchWindow: 2, checkpointReached });
    const subscription = client.subscribeToAll({ fromPosition: positions[0] ?? START, filter });
    subscription.resume();
    await once(subscription, 'caughtUp');
    // In catch-up, a checkpoint is the beginning of the window after which it was due.
    expect(checkpoints).toEqual([2, 6].map((index) => positions[index]?.commit));
    const live = await append(newStream(), 4);
    await until(() => checkpoints.length > 2);
    expect(checkpoints[2]).toBe(live[3]?.commit);
    await subscription.unsubscribe();
  });
});
