import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { createServer as createPlainServer, type AddressInfo, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { waitForStores, tlsWithoutUse } from '../../src/operations/health/wait-for-stores.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { STORE_CERTIFICATE } from '../support/store-certificate.js';
import { until } from '../support/until.js';

describe('an event store that speaks TLS, named with tls=false,', () => {
  let database: TestDatabase;
  let [tls, closing, plain]: Server[] = [];

  const address = (server: Server | undefined): string => `localhost:${(server?.address() as AddressInfo).port}`;

  beforeAll(async () => {
    database = await createTestDatabase();
    tls = createTlsServer(STORE_CERTIFICATE).on('tlsClientError', () => undefined);
    closing = createPlainServer((socket) => socket.on('error', () => undefined).destroy());
    plain = createPlainServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    );
    await Promise.all([tls, closing, plain].map((server) => once(server.listen(0, 'localhost'), 'listening')));
  });
  afterAll(async () => {
    for (const server of [tls, closing, plain]) server?.close();
    await database.drop();
  });

  it('ends the wait for the stores at once with a sentence that names both, and not the password', async () => {
    const stores = { databaseUrl: database.url, masterKey: '', adminToken: '', auditorToken: '' };
    const eventStoreUrl = `esdb://rupa:hunter2@${address(tls)}?tls=false`;
    const waiting = waitForStores(
      { ...stores, eventStoreUrl },
      { seconds: 3_600, connections: 1, say: () => undefined, signal: new AbortController().signal },
    );
    const error: unknown = await waiting.catch((thrown: unknown) => thrown);
    expect(String(error)).toContain(
      `The event store at ${address(tls)} speaks TLS, and EVENT_STORE_URL says tls=false. Set tls=true there`,
    );
    expect(String(error)).not.toContain('hunter2');
  });

  it('is found among several hosts, and never where none speaks TLS or the string asks for TLS', async () => {
    const [one, other, third] = [closing, plain, tls].map(address);
    // A host that a busy machine keeps from shaking hands in time counts as one without TLS.
    const found = await until(() => tlsWithoutUse(`esdb://${one},${other},${third}?tls=false`));
    expect(found.message).toContain(`at ${third} speaks TLS`);
    expect(await tlsWithoutUse(`esdb://${one},${other}?tls=false`)).toBeUndefined();
    expect(await tlsWithoutUse(`esdb://${third}?tls=true`)).toBeUndefined();
    expect(await tlsWithoutUse(`esdb://${third}`)).toBeUndefined();
  });
});
