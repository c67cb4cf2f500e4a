import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
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

  const url = (): string | undefined => /Rupa is up: +(\S+)\s/.exec(starting.output())?.[1];
  const begin = (env: Record<string, string>): void => {
    starting = startWithoutWaiting({ ...stores.env, ...env });
  };
  const printed = (text: string | RegExp): Promise<boolean> =>
    until(() => (typeof text === 'string' ? starting.output().includes(text) : text.test(starting.output())));
  /** Returns the database URL with the port on which PostgreSQL will listen later. */
  const databaseUrlAt = (port: number): string => {
    const address = new URL(stores.databaseUrl);
    address.port = String(port);
    return address.href;
  };

  it('waits for the event store, reports the wait, and serves once the store responds', async () => {
    stores = await startSharedStores();
    await stores.store.kill();
    begin({});
    await printed(/The event store at 127\.0\.0\.1:\d+ does not answer yet \(.+\); waiting up to 60 s/);
    expect(url()).toBeUndefined();
    await stores.store.restart();
    await printed(/The event store at \S+ answers\./);
    const address = await until(url);
    await until(async () => (await call({ url: address }, 'GET', '/health')).status === 200);
  });

  it('waits for PostgreSQL, and reports without the role api that it is live but not ready', async () => {
    stores = await startSharedStores();
    const [port, healthPort] = [await freePort(), await freePort()];
    begin({ ROLES: 'projector', DATABASE_URL: databaseUrlAt(port), PORT: String(healthPort) });
    await printed(`PostgreSQL at 127.0.0.1:${port} does not answer yet (ECONNREFUSED); waiting up to 60 s`);
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

  it('exits with an explanation after the longest wait that the settings allow', async () => {
    stores = await startSharedStores();
    const port = await freePort();
    begin({ DATABASE_URL: databaseUrlAt(port), WAIT_FOR_STORES_SECONDS: '1' });
    expect(await starting.exited).toBe(1);
    expect(starting.output()).toContain(
      `PostgreSQL at 127.0.0.1:${port} did not answer in 1 s (ECONNREFUSED). Start it, correct DATABASE_URL, or raise WAIT_FOR_STORES_SECONDS.`,
    );
  });

  it('does not wait when the password is wrong, and does not print it', async () => {
    stores = await startSharedStores();
    const wrong = new URL(stores.databaseUrl);
    wrong.password = 'hunter2';
    begin({ DATABASE_URL: wrong.href });
    expect(await starting.exited).toBe(1);
    expect(starting.output()).toMatch(/PostgreSQL at \S+ rejects the user or password in DATABASE_URL: /);
    expect(starting.output()).not.toContain('hunter2');
  });

  it.each([
    ['projector', { HOST: 'nowhere.invalid' }, /^HOST is wrong: the name nowhere\.invalid does not resolve \(E\w+\)\. .+\n$/],
    [
      'api,projector,webhooks',
      { HOST: '203.0.113.7' },
      /^HOST is wrong: 203\.0\.113\.7 is not an address of this machine \(E\w+\)\. .+\n$/,
    ],
    ['api,projector,webhooks', { PORT: 'taken' }, /^PORT is wrong: another process listens on 127\.0\.0\.1, port \d+\. .+\n$/],
    ['projector', { METRICS_PORT: 'taken' }, /^METRICS_PORT is wrong: another process listens on 127\.0\.0\.1, port \d+\. .+\n$/],
  ])('exits with one sentence when the roles %s cannot listen on %j', async (roles, wrong: Record<string, string>, sentence) => {
    stores = await startSharedStores();
    relay = createServer().listen(0, '127.0.0.1');
    await once(relay, 'listening');
    const { port } = relay.address() as AddressInfo;
    begin({
      ...Object.fromEntries(Object.entries(wrong).map(([name, value]) => [name, value === 'taken' ? String(port) : value])),
      ROLES: roles,
    });
    expect([await starting.exited, starting.output()]).toStrictEqual([1, expect.stringMatching(sentence)]);
  });

  it('exits when it is asked to stop during the wait', async () => {
    stores = await startSharedStores();
    await stores.store.kill();
    begin({});
    await printed('does not answer yet');
    starting.kill('SIGTERM');
    expect(await starting.exited).toBe(0);
    expect(starting.output()).toContain('Stopped before the service was up.');
  });
});
