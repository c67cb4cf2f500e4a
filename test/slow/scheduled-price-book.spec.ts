import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admin, call, makePartner } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { type JumpingService, type JumpingTime, startJumpingService } from '../support/jumping-time.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

interface Book {
  readonly version: number;
  readonly fees: Readonly<Record<string, number>>;
  readonly scheduled: { readonly effective_at: string; readonly actor: string; readonly fees: Readonly<Record<string, number>> } | null;
}

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The price book applies to all partners, so this spec runs an application of its own. */
describe('a scheduled price book', () => {
  let service: TestService;
  let jumping: JumpingService;
  let time: JumpingTime;

  beforeAll(async () => {
    jumping = await startJumpingService();
    ({ service, time } = jumping);
  });
  afterAll(() => jumping.close());

  const book = async (): Promise<Book> => (await admin(service, 'GET', '/price-book')).body.data as unknown as Book;
  const put = async (fees: object, effective_at: unknown) => await admin(service, 'PUT', '/price-book', { fees, effective_at });

  it('takes effect at its time, once, and charges nothing before', async () => {
    const { version, fees } = await book();
    const raised = { ...fees, 'svc_fee.identity': 60 };
    const effective_at = inMs(HOUR_MS);
    expect(await put(raised, effective_at)).toMatchObject({
      status: 200,
      body: { data: { version, fees, scheduled: { effective_at, actor: 'admin', fees: raised } } },
    });
    const bank = await makePartner(service);
    await admin(service, 'PUT', '/farmers/rp-scheduled', {});
    const amount = async (): Promise<unknown> =>
      ((await bank.lookup('rp-scheduled', { sections: ['identity'] })).body.data.billing as { amount_charged: number }).amount_charged;
    expect(await amount()).toBe(50);
    expect(await book()).toMatchObject({ version, scheduled: { effective_at } });
    await time.jump(HOUR_MS);
    await until(async () => (await call(service, 'GET', '/health/ready')).status === 200);
    const after = await until(async () => {
      const current = await book();
      return current.version === version + 1 && current.scheduled === null && current;
    });
    expect(after.fees).toStrictEqual(raised);
    expect(await amount()).toBe(60);
    const { versions } = (await admin(service, 'GET', '/price-book/history')).body.data as {
      versions: { published_at: string; effective_at: string; actor: string }[];
    };
    expect(versions.at(-1)).toMatchObject({ version: version + 1, effective_at, actor: 'admin' });
    expect(Date.parse(versions.at(-1)?.published_at ?? '')).toBeLessThan(Date.parse(effective_at));
  });

  it('is replaced by a later one, outlives a publication at once, and can be cancelled', async () => {
    const { fees, version } = await book();
    await put({ ...fees, 'svc_fee.identity': 70 }, inMs(DAY_MS));
    const effective_at = inMs(2 * DAY_MS);
    await put({ ...fees, 'svc_fee.identity': 71 }, effective_at);
    await admin(service, 'PUT', '/price-book', { fees: { ...fees, 'svc_fee.wallet': 51 } });
    expect(await book()).toMatchObject({ version: version + 1, scheduled: { effective_at, fees: { 'svc_fee.identity': 71 } } });
    expect((await admin(service, 'DELETE', '/price-book/schedule')).body.data).toMatchObject({ version: version + 1, scheduled: null });
    expect((await admin(service, 'DELETE', '/price-book/schedule')).status).toBe(200);
    expect((await book()).scheduled).toBeNull();
  });

  it('needs a time in the future, and at most a year ahead', async () => {
    const { fees } = await book();
    for (const time of [inMs(-1_000), inMs(400 * DAY_MS), 'soon', 7, '2026-13-01'])
      expect(await put(fees, time)).toMatchObject({ status: 422, body: { data: { errors: { effective_at: [expect.any(String)] } } } });
    expect((await book()).scheduled).toBeNull();
  });

  it('is not an auditor’s to change', async () => {
    const as = { Authorization: `Bearer ${service.auditorToken}` };
    expect((await call(service, 'DELETE', '/admin/v1/price-book/schedule', { headers: as })).status).toBe(403);
  });

  it('is compared, confirmed and cancelled in the console', async () => {
    const visitor = new ConsoleVisitor(service);
    await visitor.signIn(service.adminToken);
    const { version, fees } = await book();
    const fields = Object.fromEntries(Object.entries(fees).map(([fee, amount]) => [`fee:${fee}`, String(amount)]));
    const proposed = {
      ...fields,
      'fee:svc_fee.farms': '99',
      vat_percent: '7.5',
      effective_at: inMs(DAY_MS).slice(0, 16),
    };
    const compared = await visitor.act('/console/prices', '/console/prices/compare', proposed);
    const page = compared.headers.get('location') ?? '';
    const proposal = await (await visitor.get(page)).text();
    expect(proposal).toContain('svc_fee.farms');
    const effective_at = /name="effective_at" value="([^"]+)"/.exec(proposal)?.[1] ?? '';
    expect(effective_at).toBe(`${proposed.effective_at}Z`);
    await visitor.act(page, '/console/prices/publish');
    expect(await book()).toMatchObject({ version, scheduled: { fees: { 'svc_fee.farms': 99 }, vat_percent: 7.5 } });
    expect(await (await visitor.get('/console/prices')).text()).toContain('Cancel the scheduled fees');
    expect(await (await visitor.get('/console/prices')).text()).toContain('Effective');
    await visitor.act('/console/prices', '/console/prices/cancel');
    expect((await book()).scheduled).toBeNull();
  });
});
