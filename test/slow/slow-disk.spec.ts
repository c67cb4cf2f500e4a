import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { admin, balanceOf, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { rupa } from '../support/rupa.js';
import { startService, type TestService } from '../support/service.js';
import { SECRETS } from '../support/shared-stores.js';
import { until } from '../support/until.js';

const FEE = 50;
/** More than the time limit of an append and of its repetition. */
const TOO_SLOW_MS = 15_000;

describe('a service whose embedded event store has a slow disk', () => {
  let folder: string;
  let database: TestDatabase;
  let service: TestService;
  let partner: TestPartner;

  const delayFlushes = (milliseconds: number): void => {
    writeFileSync(join(folder, 'delay'), String(milliseconds));
  };
  const health = async (): Promise<number> => (await fetch(`${service.url}/health/ready`)).status;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'slow-disk-'));
    delayFlushes(0);
    database = await createTestDatabase();
    service = await startService({
      NODE_OPTIONS: `--import=${resolve('test/support/slow-disk.mjs')}`,
      SLOW_DISK: join(folder, 'delay'),
      DATABASE_URL: database.url,
      ...SECRETS,
    });
    partner = await makePartner(service);
    await whenServed(() => admin(service, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } }));
  });
  afterAll(async () => {
    delayFlushes(0);
    await service.stop();
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const lookUp = (key?: string) => {
    const headers = key === undefined ? undefined : { 'Idempotency-Key': key };
    return partner.call('POST', '/lookup', { rupa_id: 'rp-1', sections: ['identity'] }, headers);
  };

  it('responds 200 or 503, reports that it is not ready, and charges exactly the lookups that got a response', async () => {
    const before = await balanceOf(service, partner);
    const keys = ['one', 'two'];
    delayFlushes(TOO_SLOW_MS);
    const answered = Promise.all([lookUp(), lookUp(), ...keys.map((key) => lookUp(key))]);
    await until(async () => (await health()) === 503);
    const statuses = (await answered).map(({ status }) => status);
    expect(statuses.filter((status) => ![200, 503].includes(status))).toStrictEqual([]);
    expect(statuses).toContain(503);
    delayFlushes(0);
    await until(async () => (await health()) === 200);
    for (const key of keys) await until(async () => (await lookUp(key)).status === 200);
    const paid = statuses.slice(0, 2).filter((status) => status === 200).length + keys.length;
    await until(async () => (await balanceOf(service, partner)) === before - FEE * paid);
    // A settlement waits up to two seconds for another append to the same wallet, and longer after a failure.
    await until(async () => (await rupa(service, ['wallet', 'verify'])).out.includes(' 0 open charges'));
    expect(await rupa(service, ['wallet', 'verify'])).toMatchObject({ code: 0 });
    expect(await balanceOf(service, partner)).toBe(before - FEE * paid);
  });
});
