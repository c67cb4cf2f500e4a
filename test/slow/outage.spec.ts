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
    await whenServed(() => admin(service, 'PUT', '/farmers/rp-1', {}));
    expect((await whenServed(() => bank.lookup('rp-1', { sections: ['identity'] }))).status).toBe(200);
  });
  afterAll(async () => {
    await service.stop();
    await store.close();
  });

  it('a lookup whose charge is not confirmed in time gets a 503 and is refunded', async () => {
    const before = await balanceOf(service, bank);
    store.pause();
    const { status, body, headers } = await bank.lookup('rp-1', { sections: ['identity'] });
    expect([status, body.success, headers.get('retry-after')]).toStrictEqual([503, false, '1']);
    // The address of the guide is that of the service.
    const { doc_url: _, ...said } = body as typeof body & { doc_url: string };
    expect(JSON.stringify(said)).not.toMatch(/esdb|grpc|127\.0\.0\.1/i);
    store.resume();
    const entries = await until(async () => {
      const found = await entriesOf(service, bank);
      return found.at(-1)?.type === 'RefundIssued' && found;
    });
    const refund = entries.at(-1);
    const debits = entries.filter(({ type, lookup_id }) => type === 'WalletDebited' && lookup_id === refund?.lookup_id);
    expect(debits).toHaveLength(1);
    expect(await balanceOf(service, bank)).toBe(before);
    const me = await whenServed(() => bank.call('GET', '/me'));
    expect(me.body.data).toMatchObject({ compliance: { lookups: 1 } });
  });

  it('the service is not ready, and recovers by itself once the store is back', async () => {
    await store.kill();
    expect(await call(service, 'GET', '/health/ready')).toMatchObject({
      status: 503,
      body: { success: false, message: 'The event store does not answer.' },
    });
    expect((await call(service, 'GET', '/health/live')).status).toBe(200);
    await store.restart();
    await until(async () => (await call(service, 'GET', '/health')).status === 200);
    const before = await balanceOf(service, bank);
    expect((await whenServed(() => bank.lookup('rp-1', { sections: ['identity'] }))).status).toBe(200);
    expect(await balanceOf(service, bank)).toBe(before - 50);
    expect((await whenServed(() => bank.call('GET', '/consents'))).body.data).toMatchObject({ count: 1 });
  });
});
