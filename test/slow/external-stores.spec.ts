import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { admin, balanceOf, makePartner } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { startService, type TestService } from '../support/service.js';
import { SECRETS } from '../support/shared-stores.js';

describe('the service in production, on an external event store and database,', () => {
  let store: EventStoreProcess;
  let database: TestDatabase;
  let service: TestService;

  beforeAll(async () => {
    [store, database] = await Promise.all([startEventStoreProcess(), createTestDatabase()]);
    service = await startService(
      {
        NODE_ENV: 'production',
        HOST: '127.0.0.1',
        EVENT_STORE_URL: store.connectionString,
        DATABASE_URL: database.url,
        ...SECRETS,
      },
      { repeats: true },
    );
  });
  afterAll(async () => {
    await service.stop();
    await store.close();
    await database.drop();
  });

  it('responds to lookups, also after a restart', async () => {
    const bank = await makePartner(service);
    await admin(service, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } });
    expect(await bank.lookup('rp-1', { sections: ['identity'] })).toMatchObject({
      status: 200,
      body: { data: { identity: { first_name: 'Aisha' } } },
    });
    expect(await service.interrupt()).toBe(0);
    await service.restart();
    expect((await bank.lookup('rp-1', { sections: ['identity'] })).status).toBe(200);
    expect(await balanceOf(service, bank)).toBe(100_000 - 100);
  });

  it('starts no embedded store and generates no secret', () => {
    for (const file of ['secrets.json', 'postgres', 'event-store']) expect(existsSync(join(service.dataDir, file))).toBe(false);
  });
});
