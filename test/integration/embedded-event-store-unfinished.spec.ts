import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import grpc from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStoreServer, startEventStoreServer } from '../../embedded/event-store/server.js';
import { openChannel, plainCall, type PlainResult, plainRequests, uuid } from '../support/store-protocol.js';

let dataDir: string;
let server: EventStoreServer;
let client: EventStoreDBClient;
let channel: grpc.Client;
/** Stands between the caller and the server, so that the caller can die. */
let proxy: Server;
let sockets: Socket[];

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'event-store-'));
  server = await startEventStoreServer({ dataDir });
  client = EventStoreDBClient.connectionString(server.connectionString);
  sockets = [];
  proxy = createServer((near) => {
    const far = connect(server.port, '127.0.0.1');
    for (const socket of [near, far]) sockets.push(socket.on('error', () => undefined));
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
  // Another append of the same connection is written, so the server has received the messages.
  const next = plainCall(channel);
  for (const message of plainRequests({ stream: `next-${randomUUID()}`, expected: 'any', events: [{ id: uuid() }] }))
    next.call.write(message);
  next.call.end();
  expect((await next.result).code).toBe(grpc.status.OK);
  return { stream, call, result };
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
    const { stream, call, result } = await begin(Date.now() + 500);
    expect((await result).code).toBe(grpc.status.DEADLINE_EXCEEDED);
    call.end();
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
