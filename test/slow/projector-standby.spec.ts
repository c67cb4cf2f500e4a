import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admin, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { until } from '../support/until.js';

describe('two processes with the role projector', () => {
  let stores: SharedStores;
  let leader: TestService;
  let standby: TestService;
  let api: TestService;
  let bank: TestPartner;

  beforeAll(async () => {
    stores = await startSharedStores();
    leader = await stores.start('projector');
    standby = await stores.start('projector');
    api = await stores.start('api');
    await whenServed(() => admin(api, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } }));
    bank = await makePartner(api, { credit: 1_000_000 });
  });
  afterAll(() => stores.close());

  const accesses = async (): Promise<number> =>
    ((await whenServed(() => bank.call('GET', '/consents'))).body.data.consents as { access_count: number }[])[0]?.access_count ?? 0;

  it('are both ready, and the standby takes over when the leader is killed, while lookups keep succeeding', async () => {
    for (const service of [leader, standby]) await until(async () => (await call(service, 'GET', '/health')).status === 200);
    // The first one needs read models that may still lag.
    expect((await whenServed(() => bank.lookup('rp-1', { sections: ['identity'] }))).status).toBe(200);
    let lookups = 1;
    const done = new AbortController();
    const load = (async () => {
      while (!done.signal.aborted) {
        expect((await bank.lookup('rp-1', { sections: ['identity'] })).status).toBe(200);
        lookups += 1;
      }
    })();
    load.catch(() => undefined);
    await until(() => lookups > 10);
    await leader.kill();
    const atKill = lookups;
    await until(async () => (await accesses()) > atKill);
    done.abort();
    await load;
    await until(async () => (await accesses()) === lookups);
    await until(async () => (await call(api, 'GET', '/health/ready')).status === 200);
    await leader.restart();
    await standby.kill();
    expect((await whenServed(() => bank.lookup('rp-1', { sections: ['identity'] }))).status).toBe(200);
    await until(async () => (await accesses()) === lookups + 1);
    expect((await rupa('unused', ['projections', 'verify', '--all', '--json'], '', stores.env)).code).toBe(0);
  });
});
