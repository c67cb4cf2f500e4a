import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, balanceOf, call, entriesOf, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

// EVENT_STORE_URL replaces the embedded event store with an external one, without a change of code.
describe('when the event store fails,', () => {
  let store: EventStoreProcess;
  let service: TestService;
  let bank: TestPartner;

  beforeAll(async () => {
    store = await startEventStoreProcess();
    service = await startApplication({ EVENT_STORE_URL: store.connectionString });
    bank = await makePartner(service);
    for (const farmer of ['rp-1', 'rp-2']) await whenServed(() => admin(service, 'PUT', `/farmers/${farmer}`, {}));
    expect((await whenServed(() => bank.lookup('rp-1', { sections: ['identity'] }))).status).toBe(200);
  });
  afterAll(async () => {
    await service.stop();
    await store.close();
  });

  it.each([
    ['a lookup', '/lookup', { rupa_id: 'rp-1' }, 1],
    ['a list of lookups', '/lookups', { rupa_ids: ['rp-1', 'rp-2', 'rp-1'] }, 2],
  ])('%s whose charge is not confirmed in time gets a 503 and is refunded', async (_what, path, farmers, charges) => {
    const send = () => bank.call('POST', path, { ...farmers, sections: ['identity'] });
    // The service knows the wallet afterwards, so that a lookup needs the store for nothing but its charge.
    expect((await whenServed(send)).status).toBe(200);
    // While its settlement is on its way, another charge of the wallet waits for it, and would not be sent to the store in time.
    const verification = () => admin(service, 'GET', `/partners/${bank.partner_id}/wallet/verification`);
    await until(async () => (await whenServed(verification)).body.data.open_charges === 0);
    const compliance = async () => (await whenServed(() => bank.call('GET', '/me'))).body.data.compliance;
    const before = [await balanceOf(service, bank), await compliance()];
    const earlier = await entriesOf(service, bank);
    store.pause();
    const { status, body, headers } = await send();
    expect([status, body.success, headers.get('retry-after')]).toStrictEqual([503, false, '1']);
    // The address of the guide is that of the service.
    const { doc_url: _, ...said } = body as typeof body & { doc_url: string };
    expect(JSON.stringify(said)).not.toMatch(/esdb|grpc|127\.0\.0\.1/i);
    store.resume();
    const idsOf = (entries: Awaited<ReturnType<typeof entriesOf>>, of: string) =>
      entries.flatMap(({ type, lookup_id }) => (type === of ? [lookup_id] : []));
    const entries = await until(async () => {
      const found = (await entriesOf(service, bank)).slice(earlier.length);
      return idsOf(found, 'RefundIssued').length === charges && found;
    });
    expect(idsOf(entries, 'WalletDebited').toSorted()).toStrictEqual(idsOf(entries, 'RefundIssued').toSorted());
    expect([await balanceOf(service, bank), await compliance()]).toStrictEqual(before);
  });

  it('the service is not ready, and recovers by itself once the store is back', async () => {
    await store.kill();
    // A process that is paused for seconds says the same of its database.
    const { status, body } = await until(async () => {
      const response = await call(service, 'GET', '/health/ready');
      return response.body.message === 'The event store does not answer.' && response;
    });
    expect([status, body.success]).toStrictEqual([503, false]);
    expect((await call(service, 'GET', '/health/live')).status).toBe(200);
    await store.restart();
    await until(async () => (await call(service, 'GET', '/health')).status === 200);
    const before = await balanceOf(service, bank);
    expect((await whenServed(() => bank.lookup('rp-1', { sections: ['identity'] }))).status).toBe(200);
    expect(await balanceOf(service, bank)).toBe(before - 50);
    expect((await whenServed(() => bank.call('GET', '/consents'))).body.data).toMatchObject({ count: 2 });
  });
});
