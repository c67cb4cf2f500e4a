import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { admin, balanceOf, makePartner, partnerWith } from '../support/client.js';
import { createTestDatabase, dropRole, type TestDatabase } from '../support/database.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { hostileDefaultsOf } from '../support/hostile-defaults.js';
import { type PgBouncer, startPgBouncer } from '../support/pgbouncer.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { rupa } from '../support/rupa.js';
import { startService, type TestService } from '../support/service.js';
import { externalStores } from '../support/shared-stores.js';
import { startWithoutWaiting } from '../support/starting.js';
import { until } from '../support/until.js';

const SECTIONS = { sections: ['identity'] };
const FEE = 50;
const DAY_MS = 86_400_000;
/** A date that another order of its parts would change. */
const BORN = '1984-03-09';

describe('the service behind PgBouncer', () => {
  const role = `pooled_${randomBytes(6).toString('hex')}`;
  let store: EventStoreProcess;
  let database: TestDatabase;
  let superuser: pg.Client;
  /** The URL of the database itself, with a role whose defaults are hostile. */
  let direct: string;
  let pooler: PgBouncer | undefined;
  let receiver: Receiver;
  const services: TestService[] = [];

  beforeAll(async () => {
    [store, database, receiver] = await Promise.all([startEventStoreProcess(), createTestDatabase(), startReceiver()]);
    superuser = new pg.Client({ connectionString: database.url });
    await superuser.connect();
    await superuser.query(`create role ${role} login password 'secret'`);
    const name = new URL(database.url).pathname.slice(1);
    await superuser.query(`alter database ${name} owner to ${role}`);
    for (const statement of hostileDefaultsOf(role)) await superuser.query(statement);
    const url = new URL(database.url);
    [url.username, url.password] = [role, 'secret'];
    direct = url.href;
  });
  afterEach(async () => {
    await Promise.all(services.splice(0).map((service) => service.stop()));
    await pooler?.stop();
    pooler = undefined;
  });
  afterAll(async () => {
    await superuser.end();
    await database.drop();
    await dropRole(role);
    await receiver.close();
    await store.close();
  });

  const settings = (): Record<string, string> => externalStores(store.connectionString, pooler?.url ?? '');
  const start = async (roles: string, more: Record<string, string> = {}): Promise<TestService> => {
    const hooks = { WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true', WEBHOOK_ALLOW_ANY_PORT: 'true' };
    const service = await startService({ ...settings(), ...hooks, ROLES: roles, ...more });
    services.push(service);
    return service;
  };

  const refused = async (sentence: RegExp): Promise<void> => {
    const starting = startWithoutWaiting(settings());
    expect(await starting.exited).toBe(1);
    expect(starting.output()).toMatch(sentence);
  };
  const command = async (...args: string[]): ReturnType<typeof rupa> => await rupa({ dataDir: 'unused', stores: settings() }, args);

  it.each(['transaction', 'statement'])('refuses pool_mode = %s at its start and in commands', async (pool_mode) => {
    for (const default_pool_size of [1, 20]) {
      pooler = await startPgBouncer(direct, { pool_mode, default_pool_size });
      const sentence = /shares sessions of PostgreSQL .* set pool_mode = session for its database in the pooler/;
      await refused(sentence);
      expect(await command('wallet', 'verify')).toMatchObject({ code: 1, err: expect.stringMatching(sentence) });
      expect(await command('doctor')).toMatchObject({ code: 1, err: expect.stringContaining('FAILURE PostgreSQL') });
      await pooler.stop();
    }
  });

  it.each([{ default_pool_size: 1 }, { default_pool_size: 20 }, { default_pool_size: 60, max_client_conn: 30 }])(
    'refuses a pooler with too few sessions at its start: %o',
    async (limits) => {
      pooler = await startPgBouncer(direct, { pool_mode: 'session', ...limits });
      await refused(/without enough sessions of PostgreSQL for this process, which opens up to 38 connections .* default_pool_size/);
    },
  );

  it('serves everything with pool_mode = session, whatever the defaults of the role are', async () => {
    pooler = await startPgBouncer(direct, { pool_mode: 'session', default_pool_size: 120, max_client_conn: 200 });
    const [one, other] = await Promise.all([start('api'), start('api'), start('projector'), start('webhooks')]);
    await admin(one, 'PUT', '/farmers/rp-1', { mode: 'sandbox', identity: { first_name: 'Aisha', date_of_birth: BORN } });
    const bank = await makePartner(one, { mode: 'sandbox' });
    const viaOther = partnerWith(other, bank.partner_id, bank.key);
    for (const partner of [bank, viaOther])
      expect((await partner.lookup('rp-1', SECTIONS)).body.data.identity).toMatchObject({ date_of_birth: BORN });
    expect(await balanceOf(one, bank)).toBe(100_000 - 2 * FEE);
    const { consents } = (await bank.call('GET', '/consents')).body.data as { consents: readonly { granted_at: string }[] };
    expect(Math.abs(Date.now() - Date.parse(consents[0]?.granted_at ?? ''))).toBeLessThan(DAY_MS);
    expect((await bank.call('POST', '/webhooks', { url: receiver.url })).status).toBe(201);
    const report = { rupa_id: 'rp-1', event: 'loan_disbursed', amount: 1_000, partner_reference: 'l-1' };
    const reported = await viaOther.call('POST', '/report', report);
    expect(reported).toMatchObject({ status: 200, body: { data: { created: true } } });
    await until(() => receiver.received.some(({ json }) => json.data.contribution_id === reported.body.data.contribution_id));
    for (const args of [
      ['doctor'],
      ['projections', 'rebuild', '--all'],
      ['projections', 'verify', '--all'],
      ['wallet', 'verify'],
      ['events', 'check'],
    ])
      expect([args, await command(...args)]).toMatchObject([args, { code: 0 }]);
    expect((await viaOther.lookup('rp-1', SECTIONS)).status).toBe(200);
  });
});
