import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NodeProcess, startNode, startScript } from '../support/node-process.js';
import { startEventStoreServer } from '../../embedded/event-store/serving/server.js';

interface Serving {
  readonly process: NodeProcess;
  readonly client: EventStoreDBClient;
}

let dataDir: string;
const running: NodeProcess[] = [];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'event-store-'));
});

afterEach(async () => {
  for (const process of running.splice(0)) await process.kill();
  await rm(dataDir, { recursive: true, force: true });
});

async function serve(): Promise<Serving> {
  const process = startNode(['dist/embedded/event-store/main.js', '--data-dir', dataDir]);
  running.push(process);
  const { connectionString } = JSON.parse(await process.line()) as { connectionString: string };
  return { process, client: EventStoreDBClient.connectionString(connectionString) };
}

const newEvents = (count: number) => Array.from({ length: count }, () => jsonEvent({ id: randomUUID(), type: 'Noted', data: {} }));

async function idsOf(client: EventStoreDBClient, stream: string): Promise<string[]> {
  const ids: string[] = [];
  let next = 0n;
  for await (const { event } of client.readStream(stream)) {
    expect(event?.revision).toBe(next);
    next += 1n;
    ids.push(event?.id ?? '');
  }
  return ids;
}

describe('a server that is killed', () => {
  it('has every acknowledged event after a restart, in order and without partial appends, and continues from there', async () => {
    const streams = Array.from({ length: 8 }, (_unused, index) => `wallet-${index}`);
    const sent = new Map<string, string[]>(streams.map((stream) => [stream, []]));
    const acknowledged = new Map<string, number>(streams.map((stream) => [stream, 0]));
    for (let round = 0; round < 3; round += 1) {
      const { process, client } = await serve();
      for (const stream of streams) {
        const stored = round === 0 ? [] : await idsOf(client, stream);
        const proposed = sent.get(stream) ?? [];
        expect(stored.length).toBeGreaterThanOrEqual(acknowledged.get(stream) ?? 0);
        expect(stored.length % 3).toBe(0);
        expect(stored).toEqual(proposed.slice(0, stored.length));
        sent.set(stream, stored);
        acknowledged.set(stream, stored.length);
      }
      let total = 0;
      const enough = Promise.withResolvers<undefined>();
      const writers = streams.map(async (stream) => {
        const proposed = sent.get(stream) ?? [];
        for (;;) {
          const events = newEvents(3);
          const expectedRevision = proposed.length === 0 ? NO_STREAM : BigInt(proposed.length - 1);
          proposed.push(...events.map(({ id }) => id));
          await client.appendToStream(stream, events, { expectedRevision });
          acknowledged.set(stream, proposed.length);
          total += 1;
          if (total === 400) enough.resolve(undefined);
        }
      });
      const outcomes = Promise.allSettled(writers);
      await Promise.race([enough.promise, outcomes]);
      await process.kill();
      for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { type: 'unavailable' } });
      expect(total).toBeGreaterThanOrEqual(400);
      await client.dispose();
    }
    const { client } = await serve();
    const positions: bigint[] = [];
    for await (const { event } of client.readAll()) positions.push(event?.position.commit ?? -1n);
    expect(positions).toEqual(positions.map((_unused, index) => BigInt(index) + 1n));
    expect(positions.length).toBeGreaterThanOrEqual([...acknowledged.values()].reduce((sum, count) => sum + count, 0));
    await client.dispose();
  });

  it('still recognizes repeated appends', async () => {
    const first = await serve();
    const events = newEvents(2);
    const firstResult = await first.client.appendToStream('wallet-1', events, { expectedRevision: NO_STREAM });
    await first.process.kill();
    await first.client.dispose();
    const second = await serve();
    expect(await second.client.appendToStream('wallet-1', events, { expectedRevision: NO_STREAM })).toEqual(firstResult);
    expect(await second.client.appendToStream('wallet-1', events)).toEqual(firstResult);
    await second.client.dispose();
  });
});

describe('a server that is stopped', () => {
  it('completes pending requests, exits when its standard input closes, and reports to clients that it is unavailable', async () => {
    const { process, client } = await serve();
    await client.appendToStream('wallet-1', newEvents(1));
    const subscription = client.subscribeToAll();
    subscription.resume();
    const failed = once(subscription, 'end').then(
      () => 'end',
      (error: unknown) => (error as { type?: string }).type,
    );
    await once(subscription, 'caughtUp');
    const appends = Array.from({ length: 50 }, () => client.appendToStream('wallet-1', newEvents(1)));
    const outcomes = Promise.allSettled(appends);
    expect(await process.close()).toBe(0);
    expect(await failed).toBe('unavailable');
    const done = (await outcomes).filter((outcome) => {
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ type: 'unavailable' });
      return outcome.status === 'fulfilled';
    });
    await client.dispose();
    const again = await serve();
    expect((await idsOf(again.client, 'wallet-1')).length).toBeGreaterThanOrEqual(done.length + 1);
    await again.client.dispose();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('exits cleanly on %s', async (signal) => {
    const { process, client } = await serve();
    await client.appendToStream('wallet-1', newEvents(1));
    process.process.kill(signal);
    expect(await process.ended).toBe(0);
    await client.dispose();
  });
});

describe('the folder of a log', () => {
  it('is used by one server at a time', async () => {
    const { process, client } = await serve();
    await expect(startEventStoreServer({ dataDir })).rejects.toThrow(`in use by process ${process.pid}`);
    await process.close();
    const next = await startEventStoreServer({ dataDir });
    expect(next.connectionString).toBe(`esdb://127.0.0.1:${next.port}?tls=false`);
    await next.close();
    await client.dispose();
  });
});

describe('a server in a thread', () => {
  it('serves, closes, and reports its end', async () => {
    const script = startScript(
      `const { startEventStoreInWorker } = await dist('embedded/event-store/in-worker.js');
       const store = await startEventStoreInWorker({ dataDir: process.argv[1] });
       console.log(store.connectionString);
       process.stdin.once('data', async () => { await store.close(); console.log('code ' + await store.exited); process.exit(0); });`,
      [dataDir],
    );
    running.push(script);
    const client = EventStoreDBClient.connectionString(await script.line());
    expect(await client.appendToStream('wallet-1', newEvents(1))).toMatchObject({ nextExpectedRevision: 0n });
    script.process.stdin?.write('close\n');
    expect(await script.line()).toBe('code 0');
    await client.dispose();
  });

  it('reports why it did not start', async () => {
    const server = await startEventStoreServer({ dataDir });
    const script = startScript(
      `const { startEventStoreInWorker } = await dist('embedded/event-store/in-worker.js');
       console.log(await startEventStoreInWorker({ dataDir: process.argv[1] }).then(() => 'started', (error) => error.message));`,
      [dataDir],
    );
    running.push(script);
    expect(await script.line()).toContain(`${dataDir} is in use`);
    await server.close();
  });
});
