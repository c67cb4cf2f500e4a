import { afterEach, describe, expect, it } from '@jest/globals';
import { connect, createServer, type Server } from 'node:net';
import { call } from '../support/client.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { freePort, type Starting, startWithoutWaiting } from '../support/starting.js';
import { until } from '../support/until.js';

describe('a process that is started before its stores', () => {
  let stores: SharedStores;
  let starting: Starting;
  let relay: Server | undefined;

  afterEach(async () => {
    starting.kill('SIGKILL');
    await starting.exited;
    relay?.close();
    await stores.close();
  });

  const url = (): string | undefined => /Rupa is up: +(\S+)/.exec(starting.output())?.[1];
  const begin = (env: Record<string, string>): void => {
    starting = startWithoutWaiting({ ...stores.env, ...env });
  };
  const said = (text: string | RegExp): Promise<boolean> =>
    until(() => (typeof text === 'string' ? starting.output().includes(text) : text.test(starting.output())));
  /** Where PostgreSQL will be. */
  const elsewhere = (port: number): string => {
    const address = new URL(stores.databaseUrl);
    address.port = String(port);
    return address.href;
  };

  it('waits for the event store, says so, and serves once it is there', async () => {
    stores = await startSharedStores();
    await stores.store.kill();
    begin({});
    await said(/The event store at 127\.0\.0\.1:\d+ does not answer yet \(.+\); waiting up to 60 s/);
    expect(url()).toBeUndefined();
    await stores.store.restart();
    await said(/The event store at \S+ answers\./);
    const address = await until(url);
    expect((await call({ url: address }, 'GET', '/health')).status).toBe(200);
  });

  it('waits for PostgreSQL; without the role api it says meanwhile that it lives and is not ready', async () => {
    stores = await startSharedStores();
    const [port, healthPort] = [await freePort(), await freePort()];
    begin({ ROLES: 'projector', DATABASE_URL: elsewhere(port), PORT: String(healthPort) });
    await said(`PostgreSQL at 127.0.0.1:${port} does not answer yet (ECONNREFUSED); waiting up to 60 s`);
    const health = { url: `http://127.0.0.1:${healthPort}` };
    expect((await call(health, 'GET', '/health/live')).status).toBe(200);
    expect(await call(health, 'GET', '/health/ready')).toMatchObject({
      status: 503,
      body: { success: false, message: 'The service is starting.' },
    });
    relay = createServer((client) => {
      const server = connect(Number(new URL(stores.databaseUrl).port), '127.0.0.1');
      for (const socket of [client, server]) socket.on('error', () => undefined);
      client.pipe(server).pipe(client);
    }).listen(port, '127.0.0.1');
    await until(url);
    await until(async () => (await call(health, 'GET', '/health/ready')).status === 200);
  });

  it('ends with a sentence once it has waited for as long as it may', async () => {
    stores = await startSharedStores();
    const port = await freePort();
    begin({ DATABASE_URL: elsewhere(port), WAIT_FOR_STORES_SECONDS: '1' });
    expect(await starting.exited).toBe(1);
    expect(starting.output()).toContain(
      `PostgreSQL at 127.0.0.1:${port} did not answer in 1 s (ECONNREFUSED). Start it, correct DATABASE_URL, or raise WAIT_FOR_STORES_SECONDS.`,
    );
  });

  it('does not wait where the password is wrong, and does not print it', async () => {
    stores = await startSharedStores();
    const wrong = new URL(stores.databaseUrl);
    wrong.password = 'hunter2';
    begin({ DATABASE_URL: wrong.href });
    expect(await starting.exited).toBe(1);
    expect(starting.output()).toMatch(/PostgreSQL at \S+ rejects the user or password in DATABASE_URL: /);
    expect(starting.output()).not.toContain('hunter2');
  });

  it('ends when it is asked to while it waits', async () => {
    stores = await startSharedStores();
    await stores.store.kill();
    begin({});
    await said('does not answer yet');
    starting.kill('SIGTERM');
    expect(await starting.exited).toBe(0);
    expect(starting.output()).toContain('Stopped before the service was up.');
  });
});
