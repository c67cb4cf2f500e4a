import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import grpc from '@grpc/grpc-js';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EventStoreServer, startEventStoreServer } from '../../embedded/event-store/serving/server.js';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { until } from '../support/until.js';

const PROXIES = ['grpc_proxy', 'https_proxy', 'http_proxy'];

describe('the client of an event store, if the environment names a proxy', () => {
  let dataDir: string;
  let store: EventStoreServer;
  let proxy: Server;
  let asked: string[];

  beforeAll(async () => {
    // gRPC prints each failed attempt, and makes three more when its channel is closed, after the last test.
    grpc.setLogVerbosity(grpc.logVerbosity.NONE);
    dataDir = await mkdtemp(join(tmpdir(), 'event-store-proxy-'));
    store = await startEventStoreServer({ dataDir });
    asked = [];
    proxy = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.on('data', (request) => {
        asked.push(request.toString().split('\r\n')[0] ?? '');
        socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      });
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    for (const name of PROXIES) process.env[name] = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    for (const name of PROXIES) Reflect.deleteProperty(process.env, name);
    proxy.close();
    await store.close();
    await rm(dataDir, { recursive: true });
  });

  it.each([
    ['an address', (port: number) => `esdb://127.0.0.1:${port}?tls=false`],
    ['a name', (port: number) => `esdb://localhost:${port}?tls=false`],
    ['gossip', (port: number) => `esdb://127.0.0.1:${port},localhost:${port}?tls=false`],
  ])('does not use it for a store on this machine: %s', async (_how, url) => {
    const client = new EventStore(url(store.port));
    expect(await client.headPosition()).toBeUndefined();
    await client.close();
    expect(asked).toStrictEqual([]);
  });

  it('uses it for a store on another machine', async () => {
    // On a busy machine, the time limit may pass before the proxy is asked.
    await until(async () => {
      const client = new EventStore('esdb://events.example:2113?tls=false', { stallTimeoutMs: 2_000 });
      await expect(client.headPosition()).rejects.toThrow();
      await client.close();
      return asked.length > 0;
    });
    expect(asked[0]).toBe('CONNECT events.example:2113 HTTP/1.1');
  });
});
