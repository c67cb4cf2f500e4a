import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { type Pool } from 'pg';
import { createPool } from '../../src/platform/database/pool.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';

/** A set-up takes some 1,500 bytes. */
const CUT_EVERY_BYTES = 11;

/** A proxy that ends each connection once the server has sent this many bytes on it. */
async function startCuttingProxy(
  port: number,
): Promise<{ readonly port: number; cutAfter: number; readonly sent: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    let left = proxy.cutAfter;
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined));
    client.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      proxy.sent += chunk.length;
      client.write(chunk.subarray(0, left));
      left -= Math.min(left, chunk.length);
      if (left === 0) client.resetAndDestroy();
    });
    client.once('close', () => upstream.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = {
    port: (server.address() as AddressInfo).port,
    cutAfter: Infinity,
    sent: 0,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

describe('the pool of connections', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.url, 3, () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('compiles no statement, on any connection, also after one was lost', async () => {
    const settings = async (): Promise<unknown[]> => {
      const clients = await Promise.all([1, 2, 3].map(() => pool.connect()));
      try {
        const results = await Promise.all(clients.map((client) => client.query<{ jit: string }>('show jit')));
        return results.map(({ rows }) => rows[0]?.jit);
      } finally {
        for (const client of clients) client.release();
      }
    };
    expect(await settings()).toStrictEqual(['off', 'off', 'off']);
    await pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    // The third one may also end, because nothing has used it for ten seconds.
    await until(() => pool.totalCount <= 1);
    expect(await settings()).toStrictEqual(['off', 'off', 'off']);
  });

  it('outlives a connection that breaks at any byte while it is set up, and tells the caller', async () => {
    const url = new URL(database.url);
    const proxy = await startCuttingProxy(Number(url.port));
    url.port = String(proxy.port);
    const through = createPool(url.href, 1, () => undefined);
    await through.query('select');
    const { sent } = proxy;
    for (let bytes = 1; bytes < sent; bytes += CUT_EVERY_BYTES) {
      // The connection that the pool holds has to be made again.
      proxy.cutAfter = Infinity;
      await pool.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      await until(() => through.totalCount === 0);
      proxy.cutAfter = bytes;
      await expect(through.query('select')).rejects.toThrow();
    }
    proxy.cutAfter = Infinity;
    await through.query('select');
    await through.end();
    await proxy.close();
  });
});
