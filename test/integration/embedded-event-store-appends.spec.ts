import { ANY, binaryEvent, EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStoreServer, startEventStoreServer } from '../../embedded/event-store/serving/server.js';

// These tests show where the embedded event store differs from EventStoreDB. The rules that both follow are in test/store.

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

const event = (id: string = randomUUID()) => jsonEvent({ id, type: 'WalletDebited', data: { amount_kobo: 1 } });
const newStream = (): string => `wallet-${randomUUID()}`;

describe.each([
  ['BatchAppend', {}, {}],
  ['Append', { credentials: { username: 'admin', password: 'changeit' } }, { code: 12 }],
])('an append by %s', (_name, options, error) => {
  const refused = (what: RegExp): object => ({ message: expect.stringMatching(what), ...error });

  it.each(['$$', '$$$$wallet-1'])('to the metadata stream %s is refused, whatever the event is', async (stream) => {
    await expect(client.appendToStream(stream, event(), options)).rejects.toMatchObject(refused(/not implemented/));
    await expect(client.appendToStream(stream, [], options)).rejects.toMatchObject(refused(/not implemented/));
  });

  it('of metadata that is not JSON is refused, because EventStoreDB treats it as metadata in some places only', async () => {
    const bytes = binaryEvent({ type: '$metadata', data: Buffer.from('{"$maxCount":1}') });
    await expect(client.appendToStream(`$$${newStream()}`, bytes, options)).rejects.toMatchObject(refused(/not implemented/));
  });

  it('to a system stream that has no metadata is written', async () => {
    const stream = `$settings-${randomUUID()}`;
    expect(await client.appendToStream(stream, event(), options)).toMatchObject({ nextExpectedRevision: 0n });
  });

  it('of known events in another order is refused at any revision, to which EventStoreDB never responds', async () => {
    const [stream, one, two] = [newStream(), event(), event()];
    await client.appendToStream(stream, [one, two], { expectedRevision: NO_STREAM });
    await expect(client.appendToStream(stream, [two, one], { expectedRevision: ANY, ...options })).rejects.toMatchObject(
      refused(/not implemented/),
    );
  });
});

describe('the node', () => {
  it('reports itself as the only node, and the leader, to a client that discovers a cluster', async () => {
    const found = EventStoreDBClient.connectionString(`esdb+discover://127.0.0.1:${server.port}?tls=false`);
    expect(await found.appendToStream(newStream(), event())).toMatchObject({ nextExpectedRevision: 0n });
    await found.dispose();
  });

  it('responds that a deletion of $all is not implemented', async () => {
    await expect(client.deleteStream('$all')).rejects.toMatchObject({ code: 12 });
  });
});
