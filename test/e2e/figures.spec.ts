import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admin, call, makePartner, type TestPartner } from '../support/client.js';
import { startApplication } from '../support/application.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

interface Shown {
  readonly total: Counted;
  readonly steps: readonly (Counted & { readonly at: string })[];
  readonly since: Counted;
  readonly now: Readonly<Record<string, unknown>> | null;
  readonly processes: readonly { readonly roles: readonly string[]; readonly alive: boolean }[];
}
interface Counted {
  readonly lookups: number;
  readonly billed: number;
  readonly errors: number;
  readonly refunds: number;
}

describe('the figures of the service', () => {
  let service: TestService;
  let partner: TestPartner;

  beforeAll(async () => {
    service = await startApplication();
    partner = await makePartner(service, { mode: 'sandbox' });
    await admin(service, 'PUT', '/farmers/rp-figures-1', { mode: 'sandbox', phone_verified: true });
  });
  afterAll(() => service.stop());

  const figures = async (query = ''): Promise<Shown> => (await admin(service, 'GET', `/figures${query}`)).body.data as unknown as Shown;
  /** A minute may end while a test runs, so it counts the whole ones and the one that is not over. */
  const counted = async (name: keyof Counted, query = ''): Promise<number> => {
    const { total, since } = await figures(query);
    return total[name] + since[name];
  };
  const lookUp = (rupa_id: string) =>
    call(service, 'POST', '/v1/rupa/lookup', { headers: { 'X-API-KEY': partner.key }, body: { rupa_id, sections: ['identity'] } });

  it('count each lookup by its outcome, in every period', async () => {
    expect((await lookUp('rp-figures-1')).status).toBe(200);
    expect((await lookUp('rp-unknown')).status).toBe(404);
    await until(async () => (await counted('lookups')) === 2);
    for (const period of ['hour', 'day', 'month'])
      for (const [name, number] of [
        ['lookups', 2],
        ['billed', 1],
        ['errors', 0],
        ['refunds', 0],
      ] as const)
        expect([period, name, await counted(name, `?period=${period}`)]).toStrictEqual([period, name, number]);
  });

  it('name the levels of the newest minute and the processes that are alive', async () => {
    await until(async () => (await figures()).now !== null);
    const { now, processes } = await figures();
    expect(now).toMatchObject({ lag_events: expect.any(Number), open_charges: expect.any(Number), deliveries_waiting: 0 });
    expect(processes.map(({ roles, alive }) => [roles, alive])).toStrictEqual([
      [['api', 'console'], true],
      [['projector', 'webhooks'], true],
    ]);
  });

  it('go on after a restart, after which only the new process is alive', async () => {
    const before = await counted('lookups');
    await service.interrupt();
    await service.restart();
    await lookUp('rp-figures-1');
    await until(async () => (await counted('lookups')) === before + 1);
    expect((await figures()).processes.map(({ alive }) => alive)).toStrictEqual([true, true]);
  });

  it('are for administrators and auditors, and of periods that exist', async () => {
    const path = '/admin/v1/figures';
    const as = async (token: string, query = '') =>
      (await call(service, 'GET', `${path}${query}`, { headers: { Authorization: `Bearer ${token}` } })).status;
    expect([await as(service.auditorToken), await as('nobody'), await as(service.adminToken, '?period=year')]).toStrictEqual([
      200, 401, 422,
    ]);
  });
});
