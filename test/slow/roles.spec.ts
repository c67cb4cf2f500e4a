import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { admin, balanceOf, call, makePartner } from '../support/client.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { type Starting, startWithoutWaiting } from '../support/starting.js';
import { until } from '../support/until.js';

/** Returns the threads of a process. Only on Linux do threads have priorities of their own; elsewhere the process stands for them. */
function threadsOf(pid: number): number[] {
  return process.platform === 'linux' ? readdirSync(`/proc/${pid}/task`).map(Number) : [pid];
}

describe('a process with some of the roles', () => {
  let stores: SharedStores;
  let starting: Starting | undefined;

  beforeEach(async () => {
    stores = await startSharedStores();
  });
  afterEach(async () => {
    starting?.kill('SIGKILL');
    await starting?.exited;
    await stores.close();
  });

  it.each(['projector', 'webhooks', 'projector,webhooks'])('serves health and nothing else as %s', async (roles) => {
    const other = roles === 'webhooks' ? [await stores.start('projector')] : [];
    const service = await stores.start(roles);
    expect(await call(service, 'GET', '/health/live')).toMatchObject({ status: 200, body: { data: { status: 'live' } } });
    await until(async () => (await call(service, 'GET', '/health')).body.data.status === 'ready');
    for (const path of ['/v1/rupa/me', '/admin/v1/partners', '/docs', '/p/rp-1']) {
      const response = await fetch(`${service.url}${path}`, { headers: { Authorization: `Bearer ${service.adminToken}` } });
      expect([path, response.status]).toStrictEqual([path, 404]);
    }
    expect(await Promise.all([service, ...other].map((one) => one.interrupt('SIGTERM')))).not.toContain(1);
  });

  it('waits as an API until a projector has created the read models', async () => {
    starting = startWithoutWaiting({ ...stores.env, ROLES: 'api' });
    const api = starting;
    await until(() => api.output().includes('waiting for a process with the role projector'));
    const projector = await stores.start('projector');
    const url = await until(() => /Rupa is up: +(\S+)\s/.exec(api.output())?.[1]);
    const service = { ...projector, url, repeatsUnserved: true as const };
    const bank = await makePartner(service);
    expect(await balanceOf(service, bank)).toBe(100_000);
  });

  it('says that it is degraded while its read models lag too far behind the log, until they have caught up', async () => {
    const projector = await stores.start('projector');
    const api = await stores.start('api', { READY_LAG_SECONDS: '1' });
    const bank = await makePartner(api);
    // The call needs read models that the registration has not waited for.
    await until(async () => (await bank.call('GET', '/me')).status === 200);
    await projector.kill();
    expect((await bank.call('GET', '/me')).status).toBe(200);
    await admin(api, 'PUT', '/farmers/rp-1', { identity: { first_name: 'Aisha' } });
    const health = async (): Promise<unknown> => (await call(api, 'GET', '/health/ready')).body.data;
    const behind = await until(async () => {
      const found = (await health()) as { status: string; reasons?: string[] };
      // A process that was paused for seconds is degraded for a moment because it has heard nothing from the database.
      return found.reasons?.join() === 'The read models are behind the log.' && found;
    });
    expect(behind.status).toBe('degraded');
    expect((await call(api, 'GET', '/health/live')).status).toBe(200);
    await projector.restart();
    await until(async () => ((await health()) as { status: string }).status === 'ready');
  });

  it('lowers the priority of the thread that projects, and of no other', async () => {
    const nicenessAs = async (roles: string): Promise<number[]> => {
      const service = (starting = startWithoutWaiting({ ...stores.env, ROLES: roles }));
      await until(() => service.output().includes('Rupa is up'));
      const all = threadsOf(service.pid).map((thread) => getPriority(thread));
      service.kill('SIGTERM');
      await service.exited;
      return all.filter((niceness) => niceness > getPriority());
    };
    // All threads of a test run with a low priority have a lower one already.
    expect(await nicenessAs('api,projector')).toStrictEqual(process.platform === 'linux' && getPriority() < 10 ? [10] : []);
    expect(await nicenessAs('api')).toStrictEqual([]);
  });

  it('is refused on embedded stores, with an explanation', async () => {
    starting = startWithoutWaiting({ ROLES: 'api,webhooks' });
    expect(await starting.exited).toBe(1);
    expect(starting.output()).toBe(
      'ROLES is wrong: a process with embedded stores runs the roles api, projector and webhooks. Unset ROLES, or set EVENT_STORE_URL and DATABASE_URL to stores that several processes share.\n',
    );
  });
});
