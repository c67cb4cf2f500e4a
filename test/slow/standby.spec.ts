import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { admin, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { rupa } from '../support/rupa.js';
import { startService, type TestService } from '../support/service.js';
import { SECRETS } from '../support/shared-stores.js';
import { until } from '../support/until.js';

/** The view shows the locks of all databases, and other specs run services on the same server. */
const PROJECTOR_LOCKS = `select from pg_locks where locktype = 'advisory' and granted and objid = 7205002
  and database = (select oid from pg_database where datname = current_database())`;

describe('two instances on the same stores', () => {
  let store: EventStoreProcess;
  let database: TestDatabase;
  let db: pg.Client;
  let env: Record<string, string>;
  let leader: TestService;
  let standby: TestService;
  let partner: TestPartner;

  beforeAll(async () => {
    [store, database] = await Promise.all([startEventStoreProcess(), createTestDatabase()]);
    env = {
      EVENT_STORE_URL: store.connectionString,
      DATABASE_URL: database.url,
      ...SECRETS,
    };
    db = new pg.Client(database.url);
    await db.connect();
    leader = await startService(env);
    await until(async () => (await locks()) > 0);
    standby = await startService(env);
    await whenServed(() => admin(standby, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } }));
    partner = await makePartner(standby, { credit: 5_000_000 });
  });
  afterAll(async () => {
    await db.end();
    await Promise.all([leader.stop(), standby.stop()]);
    await store.close();
    await database.drop();
  });

  /** Returns how many leadership locks projectors hold. */
  const locks = async (): Promise<number> => (await db.query(PROJECTOR_LOCKS)).rowCount ?? 0;
  const rows = async (): Promise<number> =>
    Number((await db.query<{ rows: string }>('select count(*) as rows from read.wallet_entry')).rows[0]?.rows);
  const waitsForTable = async (): Promise<boolean> =>
    ((await db.query("select from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into read.wallet_entry%'"))
      .rowCount ?? 0) > 0;
  const idlesInTransaction = async (): Promise<boolean> =>
    ((
      await db.query(
        "select from pg_stat_activity where state = 'idle in transaction' and query like '%wallet_entry%' and pid <> pg_backend_pid()",
      )
    ).rowCount ?? 0) > 0;

  /** Makes a lookup that is charged. One that gets 503, because a read model or a store is slow for a moment, has not been. */
  const lookUp = async (): Promise<void> => {
    expect((await whenServed(() => partner.lookup('rp-1', { sections: ['identity'] }))).status).toBe(200);
  };

  async function verified(): Promise<number> {
    const { code, err } = await rupa('unused', ['projections', 'verify', '--all', '--json'], '', env);
    expect(err).not.toMatch(/differs|the log/);
    return code ?? -1;
  }

  it('pass leadership on when the leader freezes within a batch, and the old leader writes nothing when it resumes', async () => {
    const before = await rows();
    const other = new pg.Client(database.url);
    await other.connect();
    await other.query('begin');
    await other.query('lock table read.wallet_entry in exclusive mode');
    await lookUp();
    await until(waitsForTable);
    leader.pause();
    await other.query('commit');
    await other.end();
    await until(idlesInTransaction);
    // The standby can continue only after PostgreSQL has ended the frozen leader's transaction, and with it its rows and its fence.
    await lookUp();
    await until(async () => (await rows()) >= before + 4);
    leader.resume();
    await lookUp();
    await until(async () => (await rows()) >= before + 6);
    expect(await verified()).toBe(0);
    expect((await whenServed(() => admin(leader, 'GET', '/projections'))).status).toBe(200);
  });

  it('apply every event exactly once under load, even when the leader freezes and resumes', async () => {
    let lookups = 0;
    let done = false;
    const work = async (): Promise<void> => {
      while (!done) {
        await lookUp();
        lookups += 1;
      }
    };
    const workers = Promise.all(Array.from({ length: 4 }, work));
    workers.catch(() => undefined);
    for (let turn = 0; turn < 2; turn += 1) {
      const before = await rows();
      await until(async () => (await rows()) > before + 20);
      leader.pause();
      const stopped = await rows();
      await until(async () => (await rows()) > stopped + 20);
      leader.resume();
    }
    done = true;
    await workers;
    expect(lookups).toBeGreaterThan(0);
    expect(await verified()).toBe(0);
  });

  it('pass leadership on when the leader is killed', async () => {
    await leader.kill();
    const before = await rows();
    await lookUp();
    await until(async () => (await rows()) >= before + 2);
    await leader.restart();
    await standby.kill();
    const again = await rows();
    const credit = { amount: 1, reference: 'after' };
    await whenServed(() => admin(leader, 'POST', `/partners/${partner.partner_id}/wallet/credits`, credit));
    await until(async () => (await rows()) > again);
    expect(await verified()).toBe(0);
    await standby.restart();
  });
});
