import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, makePartner, whenServed } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

describe('the audit trail, while the log cannot be written,', () => {
  let store: EventStoreProcess;
  let service: TestService;

  beforeAll(async () => {
    store = await startEventStoreProcess();
    service = await startApplication({ EVENT_STORE_URL: store.connectionString });
    await whenServed(() => admin(service, 'PUT', '/farmers/rp-1', { identity: { full_name: 'Aisha Canary' } }));
  });
  afterAll(async () => {
    await service.stop();
    await store.close();
  });

  it('refuses every change and every read, because it cannot record them', async () => {
    const partner = await makePartner(service);
    const visitor = new ConsoleVisitor(service);
    await visitor.signIn(service.adminToken);
    const opened = await visitor.act('/console/farmers/rp-1', '/console/farmers/rp-1', { reason: 'Complaint 4711' });
    const page = opened.headers.get('location') ?? '';
    await store.kill();
    const [changed, read, shown] = await Promise.all([
      admin(service, 'PUT', '/farmers/rp-2', {}),
      admin(service, 'GET', '/farmers/rp-1'),
      visitor.get(page),
    ]);
    expect([changed.status, read.status, shown.status]).toStrictEqual([503, 503, 503]);
    expect(JSON.stringify(read.body)).not.toContain('Canary');
    expect(await shown.text()).not.toContain('Canary');
    await store.restart();
    expect(
      (await until(async () => [await admin(service, 'GET', '/farmers/rp-1')].find(({ status }) => status === 200))).body.data,
    ).toMatchObject({ identity: { full_name: 'Aisha Canary' } });
    expect((await whenServed(() => partner.call('GET', '/me'))).status).toBe(200);
  });
});
