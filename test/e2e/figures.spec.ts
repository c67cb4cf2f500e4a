import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admin, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
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
  /** The statuses of all lookups, which the figures count. */
  const statuses: number[] = [];
  const times = (status: number): number => statuses.filter((each) => each === status).length;
  /** Looks a farmer up, again where a busy machine makes the service respond 503, and returns the status. */
  const lookUp = async (rupa_id: string): Promise<number> => {
    const { url } = service;
    const sent = { headers: { 'X-API-KEY': partner.key }, body: { rupa_id, sections: ['identity'] } };
    const response = await whenServed(async () => {
      const { status } = await call({ url }, 'POST', '/v1/rupa/lookup', sent);
      statuses.push(status);
      return { status };
    });
    return response.status;
  };

  it('count each lookup by its outcome, in every period', async () => {
    expect(await lookUp('rp-figures-1')).toBe(200);
    expect(await lookUp('rp-unknown')).toBe(404);
    await until(async () => (await counted('lookups')) === statuses.length);
    for (const period of ['hour', 'day', 'month']) {
      for (const [name, number] of [
        ['lookups', statuses.length],
        ['billed', 1],
        ['errors', times(503)],
      ] as const)
        expect([period, name, await counted(name, `?period=${period}`)]).toStrictEqual([period, name, number]);
      expect(await counted('refunds', `?period=${period}`)).toBeLessThanOrEqual(times(503));
    }
  });

  it('name the levels of the newest minute and the processes that are alive', async () => {
    // Each of the two writes for itself.
    const { now, processes } = await until(async () => {
      const shown = await figures();
      return shown.now !== null && shown.processes.length > 1 && shown.processes.every(({ alive }) => alive) && shown;
    });
    expect(now).toMatchObject({ lag_events: expect.any(Number), open_charges: expect.any(Number), deliveries_waiting: 0 });
    expect(processes.map(({ roles }) => roles)).toStrictEqual([
      ['api', 'console'],
      ['projector', 'webhooks'],
    ]);
  });

  it('go on after a restart, after which only the new process is alive', async () => {
    await service.interrupt();
    await service.restart();
    await lookUp('rp-figures-1');
    await until(async () => (await counted('lookups')) === statuses.length);
    // A process that could not say in time that it stops counts as alive for a while.
    await until(async () => (await figures()).processes.filter(({ alive }) => alive).length === 2);
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
