import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { Readiness } from '../../src/operations/health/readiness.js';
import { inTransaction } from '../../src/platform/database/pool.js';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { ClockGuard } from '../../src/platform/event-sourcing/writing/clock-guard.js';
import { DirectoryCache, announceDirectoryChange } from '../../src/platform/projecting/in-memory/directory-lease.js';
import { DirectoryChanges } from '../../src/platform/projecting/in-memory/directory-changes.js';
import { NotYetInForce } from '../../src/platform/projecting/in-memory/in-force.js';
import { ReadModelListener } from '../../src/platform/projecting/in-memory/read-model-listener.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';
import { type SilentProxy, startSilentProxy } from '../support/silent-proxy.js';
import { until } from '../support/until.js';

const NO_EVENTS = { lastEvent: () => Promise.resolve(undefined) } as unknown as EventStore;

describe('a change of the directory', () => {
  let database: TestDatabase;
  let pool: Pool;
  let running: { listener: ReadModelListener; proxy: SilentProxy }[] = [];

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 4);
    await pool.query('create table value (n int)');
    await pool.query('insert into value values (0)');
  });
  afterEach(async () => {
    for (const { listener, proxy } of running) {
      proxy.speak();
      await listener.stop();
      await proxy.close();
    }
    running = [];
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const read = async (): Promise<{ n: number }> => (await pool.query<{ n: number }>('select n from value')).rows[0] ?? { n: -1 };
  const instances = async (): Promise<number> => (await pool.query('select from ops.instance')).rowCount ?? 0;
  const confirmations = async (): Promise<number> =>
    (await pool.query('select from ops.instance where version = (select version from ops.directory)')).rowCount ?? 0;

  /** Starts an instance that has the value in its cache. Only its connection for notifications goes through the proxy. */
  async function startInstance() {
    const url = new URL(database.url);
    const proxy = await startSilentProxy(Number(url.port), url.hostname);
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    const listener = new ReadModelListener(url.href, pool);
    const cache = new DirectoryCache<{ n: number }>(listener, 10);
    const changes = new DirectoryChanges(pool, NO_EVENTS, listener);
    await listener.start();
    running.push({ listener, proxy });
    let reads = 0;
    const get = async (): Promise<number> =>
      (
        await cache.get('value', () => {
          reads += 1;
          return read();
        })
      ).n;
    const isCached = async (): Promise<boolean> => {
      const before = reads;
      await get();
      return reads === before;
    };
    await until(isCached);
    return { proxy, listener, changes, get, isCached };
  }

  const increment = (): Promise<void> =>
    inTransaction(pool, async (client) => {
      await client.query('update value set n = n + 1');
      await announceDirectoryChange(client);
    });

  it('completes once every instance has read it, and none uses the value before it', async () => {
    const [one, other] = [await startInstance(), await startInstance()];
    let confirmed = 0;
    // A change that waits for the end of a lease removes the instances that have not confirmed it, which a busy machine may cause.
    while (confirmed < 10) {
      const before = await other.get();
      await one.changes.announce(increment);
      if ((await confirmations()) === 2) confirmed += 1;
      expect([await one.get(), await other.get()]).toStrictEqual([before + 1, before + 1]);
    }
  });

  it('completes once the cache of an instance has expired that hears nothing, and that instance caches again when it does', async () => {
    const [one, silent] = [await startInstance(), await startInstance()];
    const before = await silent.get();
    silent.proxy.silence();
    await one.changes.announce(increment);
    expect(await silent.get()).toBe(before + 1);
    expect(await silent.isCached()).toBe(false);
    silent.proxy.speak();
    await until(() => silent.isCached());
    await one.changes.announce(increment);
    expect(await silent.get()).toBe(before + 2);
    await until(() => silent.listener.silentMs === 0);
  });

  it('waits for a dead instance only once, and not at all for one that has stopped', async () => {
    const [one, dead, stopped] = [await startInstance(), await startInstance(), await startInstance()];
    await stopped.listener.stop();
    expect(await instances()).toBe(2);
    dead.proxy.silence();
    await one.changes.announce(increment);
    // Changes wait for the instances that have a row. A live one that a busy machine kept from confirming in time has one again soon.
    expect(await instances()).toBeLessThanOrEqual(1);
    await one.changes.announce(increment);
    await until(async () => (await confirmations()) === 1);
  });

  it('is not reported as in force while its read model is faulted', async () => {
    await pool.query("insert into ops.checkpoint (projection, version, position) values ('shown', 1, 10)");
    await pool.query("insert into ops.checkpoint (projection, version, position, fault) values ('faulted', 1, 5, 'an event')");
    const { changes } = await startInstance();
    const committed = { events: [], state: undefined, position: 10n };
    await changes.waitFor(committed, { stream: 'partner-1', readModel: 'shown' });
    await expect(changes.waitFor(committed, { stream: 'partner-1', readModel: 'faulted' })).rejects.toThrow(NotYetInForce);
  });

  it('cannot be missed for long without the process saying so in its health', async () => {
    const eventStore = {
      headPosition: () => Promise.resolve(undefined),
      checkAppends: () => Promise.resolve(),
      missingHistories: { list: () => [] },
    } as unknown as EventStore;
    const reasonsAfter = async (silentMs: number): Promise<string[]> => {
      const readiness = new Readiness(pool, eventStore, new ClockGuard(new SystemClock()), ['api'], 1_000, { silentMs });
      return (await readiness.degradedBy()).map(({ reason }) => reason);
    };
    await pool.query('delete from ops.checkpoint');
    expect(await reasonsAfter(0)).toStrictEqual([]);
    expect(await reasonsAfter(60_000)).toStrictEqual([
      expect.stringMatching(/^This process hears no changes of partners, API keys and prices/),
    ]);
  });

  it('is reported as recorded when PostgreSQL fails after it', async () => {
    const { changes } = await startInstance();
    await expect(changes.announce(() => Promise.reject(new Error('gone')))).rejects.toThrow(
      /^The change is recorded, but not yet in force\. A store does not respond\./,
    );
  });
});
