import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import grpc from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStoreServer, startEventStoreServer } from '../../embedded/event-store/serving/server.js';
import { openChannel, plainCall, type PlainResult, plainRequests, uuid } from '../support/store-protocol.js';
import { until } from '../support/until.js';

const TIMEOUT_MS = 500;

let dataDir: string;
let server: EventStoreServer;
let client: EventStoreDBClient;
let channel: grpc.Client;
/** Stands between the caller and the server, so that the caller can die and what it sends can be delayed. */
let proxy: Server;
let sockets: Socket[];
let links: { readonly near: Socket; readonly far: Socket }[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'event-store-'));
  server = await startEventStoreServer({ dataDir });
  client = EventStoreDBClient.connectionString(server.connectionString);
  sockets = [];
  links = [];
  proxy = createServer((near) => {
    const far = connect(server.port, '127.0.0.1');
    for (const socket of [near, far]) sockets.push(socket.on('error', () => undefined));
    links.push({ near, far });
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  channel = openChannel(`esdb://127.0.0.1:${(proxy.address() as AddressInfo).port}?tls=false`);
});

afterEach(async () => {
  channel.close();
  for (const socket of sockets) socket.destroy();
  proxy.close();
  await client.dispose();
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
});

interface Begun {
  readonly stream: string;
  readonly call: grpc.ClientWritableStream<Buffer>;
  readonly result: Promise<PlainResult>;
}

/** Sends the whole content of an append by the plain call, and does not end the call. */
async function begin(deadline?: number): Promise<Begun> {
  const stream = `wallet-${randomUUID()}`;
  const { call, result } = plainCall(channel, deadline);
  const messages = plainRequests({ stream, expected: 'any', events: [{ id: uuid() }, { id: uuid() }] });
  for (const message of messages) await new Promise((resolve) => call.write(message, resolve));
  await appendAnother();
  return { stream, call, result };
}

/** Appends over the same connection: when it ends, the server has received everything that was sent before. */
async function appendAnother(): Promise<void> {
  const { call, result } = plainCall(channel);
  for (const message of plainRequests({ stream: `next-${randomUUID()}`, expected: 'any', events: [{ id: uuid() }] })) call.write(message);
  call.end();
  expect((await result).code).toBe(grpc.status.OK);
}

async function isWritten(stream: string): Promise<boolean> {
  // This append comes after everything that the server has received.
  await client.appendToStream(`after-${randomUUID()}`, jsonEvent({ type: 'Noted', data: {} }));
  for await (const { event } of client.readAll()) if (event?.streamId === stream) return true;
  return false;
}

describe('a plain append', () => {
  it('that its caller ends is written', async () => {
    const { stream, call, result } = await begin();
    call.end();
    expect((await result).code).toBe(grpc.status.OK);
    expect(await isWritten(stream)).toBe(true);
  });

  it.each<[string, grpc.status, (begun: Begun) => void]>([
    [
      'cancels',
      grpc.status.CANCELLED,
      ({ call }) => {
        call.cancel();
      },
    ],
    [
      'ends and cancels at once',
      grpc.status.CANCELLED,
      ({ call }) => {
        call.end();
        call.cancel();
      },
    ],
    [
      'dies in between',
      grpc.status.UNAVAILABLE,
      () => {
        for (const socket of sockets) socket.destroy();
      },
    ],
    [
      'closes its connection',
      grpc.status.UNAVAILABLE,
      () => {
        for (const socket of sockets) socket.end();
      },
    ],
  ])('is not written when its caller %s', async (_case, code, give) => {
    const begun = await begin();
    give(begun);
    expect((await begun.result).code).toBe(code);
    expect(await isWritten(begun.stream)).toBe(false);
  });

  it('is not written when its deadline passes before its end', async () => {
    const { stream, call, result } = await begin(Date.now() + TIMEOUT_MS);
    // The server counts the time from the call's arrival. A caller ends its side when the time is over, perhaps before the server's is.
    const latestDeadline = Date.now() + TIMEOUT_MS;
    for (const { near } of links) near.unpipe().pause();
    expect((await result).code).toBe(grpc.status.DEADLINE_EXCEEDED);
    call.end();
    await until(() => Date.now() > latestDeadline);
    for (const { near, far } of links) near.pipe(far);
    await appendAnother();
    expect(await isWritten(stream)).toBe(false);
  });

  it('gets UNAVAILABLE from a server that stops before its end, and is not written', async () => {
    const { stream, result } = await begin();
    await Promise.all([
      server.close(),
      result.then(({ code }) => {
        expect(code).toBe(grpc.status.UNAVAILABLE);
      }),
    ]);
    server = await startEventStoreServer({ dataDir });
    await client.dispose();
    client = EventStoreDBClient.connectionString(server.connectionString);
    expect(await isWritten(stream)).toBe(false);
  });
});
