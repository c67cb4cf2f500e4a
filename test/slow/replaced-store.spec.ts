import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStore, NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { admin, balanceOf, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { startEventStoreProcess } from '../support/event-store-process.js';
import { rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { until } from '../support/until.js';

const SENTENCE = 'The event store in EVENT_STORE_URL holds another log than before, or an earlier state of it.';
const LOOKUPS = 20;
const FEE = 50;

/** The database stays, and another event store answers at the address of the one that it belongs to. */
describe('a running service whose event store is replaced', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rupa-replaced-'));
  const at = (name: string): string => join(folder, name);
  let stores: SharedStores;
  let api: TestService;
  let others: TestService[];
  let bank: TestPartner;

  const lookUp = async (): Promise<number> => (await bank.lookup('rp-1', { sections: ['identity'] })).status;
  /** Returns the message of each process that is not ready. */
  const faults = async (): Promise<(string | undefined)[]> => {
    const responses = await Promise.all([api, ...others].map((service) => call(service, 'GET', '/health/ready')));
    return responses.filter(({ status }) => status !== 200).map(({ body }) => body.message);
  };
  const isReady = async (): Promise<boolean> => (await faults()).length === 0;
  const rejectedForItsLog = async (): Promise<boolean> => {
    const port = /"port":(\d+),"msg":"metrics are served"/.exec(api.output())?.[1];
    return (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()).includes('rupa_event_store_rejected{reason="log"} 1');
  };

  beforeAll(async () => {
    stores = await startSharedStores();
    [api, ...others] = await Promise.all([
      stores.start('api', { METRICS_PORT: '0', LOG_LEVEL: 'info' }),
      stores.start('projector'),
      stores.start('webhooks'),
    ]);
    bank = await makePartner(api);
    await whenServed(() => admin(api, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } }));
    mkdirSync(at('an empty store'));
    await stores.store.copyTo(at('an older backup'));
    await until(isReady);
    for (let n = 0; n < LOOKUPS; n += 1) await until(async () => (await lookUp()) === 200);
    // The backup is recognised as older by an event that it lacks and that a read model shows.
    await until(async () => (await bank.call('GET', '/me')).status === 200);
    const elsewhere = await startEventStoreProcess();
    const log = new EventStore(elsewhere.connectionString);
    const metadata = { $correlationId: 'c', schema_version: 1 };
    for (let n = 0; n < 200; n += 1)
      await log.append(`partner-${n}`, [{ id: randomUUID(), type: 'PartnerActivated', data: { partner_id: `${n}` }, metadata }], NO_EVENTS);
    await log.close();
    await elsewhere.copyTo(at('the store of another environment'));
    await elsewhere.close();
  });
  afterAll(async () => {
    await stores.close();
    rmSync(folder, { recursive: true });
  });

  it.each(['an older backup', 'the store of another environment', 'an empty store'])(
    'by %s names that in each process and uses it for nothing, and goes on when its own is back',
    async (other) => {
      const { store } = stores;
      const balance = await balanceOf(api, bank);
      await store.kill();
      renameSync(store.dataDir, at('its own'));
      cpSync(at(other), store.dataDir, { recursive: true });
      await store.restart();
      const log = new EventStore(store.connectionString);
      const before = await log.headPosition();

      await until(async () => (await faults()).filter((fault) => fault?.includes(SENTENCE)).length === 1 + others.length);
      const statuses = await Promise.all(Array.from({ length: LOOKUPS }, lookUp));
      expect(new Set(statuses)).toStrictEqual(new Set([503]));
      expect((await bank.call('GET', '/me')).status).toBe(503);
      const credit = { amount: 5, reference: other };
      const { status } = await call(api, 'POST', `/admin/v1/partners/${bank.partner_id}/wallet/credits`, {
        headers: { Authorization: `Bearer ${api.adminToken}` },
        body: credit,
      });
      expect(status).toBe(503);
      await until(rejectedForItsLog);
      expect(await log.headPosition()).toBe(before);
      await log.close();

      await store.kill();
      rmSync(store.dataDir, { recursive: true });
      renameSync(at('its own'), store.dataDir);
      await store.restart();
      await until(isReady);
      await until(async () => (await lookUp()) === 200);
      expect(await balanceOf(api, bank)).toBe(balance - FEE);
      await until(async () => !(await rejectedForItsLog()));
      expect(await rupa({ dataDir: api.dataDir, stores: stores.env }, ['wallet', 'verify', bank.partner_id])).toMatchObject({ code: 0 });
    },
  );
});
