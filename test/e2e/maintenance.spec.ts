import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { admin, type ApiResponse, balanceOf, call, makePartner, type TestPartner } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { readDocument } from '../support/document.js';
import { type MeasuredService, startMeasured } from '../support/metrics.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const REASON = 'We move to <another> event store.';
const RUPA_ID = 'rp-maintained';
const HOUR_MS = 3_600_000;
/** Calls that are served although they change something, or that change nothing although they are no GET. */
const SERVED = [
  'DELETE /admin/v1/farmers/{rupaId}',
  'PUT /admin/v1/maintenance',
  'DELETE /admin/v1/maintenance',
  'POST /admin/v1/checkpoints',
  'POST /admin/v1/ledger/reconciliations',
  'POST /admin/v1/projections/{name}/rebuild',
  'POST /admin/v1/projections/{name}/retry',
  'POST /admin/v1/projections/{name}/verify',
];

const inMs = (ms: number): string => new Date(Date.now() + ms).toISOString();

/** Maintenance applies to all calls, so this spec runs an application of its own. */
describe('maintenance', () => {
  let measured: MeasuredService;
  let service: TestService;
  let bank: TestPartner;
  let receiver: Receiver;
  let endpoint: number;

  beforeAll(async () => {
    measured = await startMeasured({
      WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
      WEBHOOK_RETRY_SCHEDULE_SECONDS: `0${',0.2'.repeat(200)}`,
      WEBHOOK_TIMEOUT_MS: '60000',
    });
    ({ service } = measured);
    receiver = await startReceiver();
    await admin(service, 'PUT', `/farmers/${RUPA_ID}`, { mode: 'sandbox', identity: { first_name: 'Aisha' } });
    bank = await makePartner(service, { mode: 'sandbox' });
    await bank.lookup(RUPA_ID);
    const registered = await bank.call('POST', '/webhooks', { url: receiver.url });
    endpoint = registered.body.data.id as number;
  });
  afterEach(() => admin(service, 'DELETE', '/maintenance'));
  afterAll(async () => {
    await receiver.close();
    await service.stop();
  });

  const begin = async (more: object = {}): Promise<ApiResponse> => await admin(service, 'PUT', '/maintenance', { reason: REASON, ...more });
  const expectRefused = ({ status, headers, body }: ApiResponse): void => {
    expect(body).toStrictEqual({
      success: false,
      message: expect.stringContaining(REASON),
      code: 'maintenance',
      doc_url: expect.stringMatching(/#maintenance$/),
    });
    expect(status).toBe(503);
    expect(Number(headers.get('Retry-After'))).toBeGreaterThan(0);
  };

  const writes = Object.entries(readDocument().paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .map((method) => `${method.toUpperCase()} ${path}`)
      .filter((each) => /^(POST|PUT|PATCH|DELETE) \/(admin|v1)/.test(each)),
  );

  it('refuses every call that changes something, before it looks at the body', async () => {
    await begin();
    const refused = writes.filter((each) => !SERVED.includes(each));
    expect(refused.length).toBeGreaterThan(30);
    for (const each of refused) {
      const [method = '', template = ''] = each.split(' ');
      const path = template.replaceAll(/\{\w+\}/g, '1');
      const headers = path.startsWith('/admin') ? { Authorization: `Bearer ${service.adminToken}` } : { 'X-API-KEY': bank.key };
      const response = await call(service, method, path, { headers, ...(method === 'DELETE' ? {} : { body: '{"' }) });
      expect([each, response.status, (response.body as { code?: string }).code]).toStrictEqual([each, 503, 'maintenance']);
      expectRefused(response);
    }
    expect(SERVED.filter((each) => !writes.includes(each))).toStrictEqual([]);
  });

  it('refuses a lookup with a key whose response is stored, and charges nothing', async () => {
    const key = { 'Idempotency-Key': 'before-maintenance' };
    expect((await bank.call('POST', '/lookup', { rupa_id: RUPA_ID }, key)).status).toBe(200);
    const balance = await balanceOf(service, bank);
    await begin();
    expectRefused(await bank.call('POST', '/lookup', { rupa_id: RUPA_ID }, key));
    expectRefused(await bank.lookup(RUPA_ID));
    expect(await balanceOf(service, bank)).toBe(balance);
  });

  it('comes after the checks of the caller', async () => {
    await begin();
    const wrong = await call(service, 'POST', '/v1/rupa/lookup', { headers: { 'X-API-KEY': 'rk_wrong' }, body: {} });
    expect(wrong.status).toBe(401);
    const auditor = { headers: { Authorization: `Bearer ${service.auditorToken}` }, body: { reason: 'an auditor' } };
    expect((await call(service, 'PUT', '/admin/v1/maintenance', auditor)).status).toBe(403);
    expect((await call(service, 'PUT', '/admin/v1/farmers/rp-1', auditor)).status).toBe(403);
  });

  it('serves calls that read, and work on read models and checkpoints', async () => {
    await begin();
    for (const path of ['/me', '/wallet/entries', '/consents', '/lookups', '/webhooks', '/events'])
      expect([path, (await bank.call('GET', path)).status]).toStrictEqual([path, 200]);
    expect((await admin(service, 'GET', `/farmers/${RUPA_ID}`)).status).toBe(200);
    expect((await admin(service, 'POST', '/projections/partner/verify')).status).toBe(202);
    expect([200, 201]).toContain((await admin(service, 'POST', '/checkpoints')).status);
  });

  it('erases farmers, as is due after a restore before partners look up again', async () => {
    await admin(service, 'PUT', '/farmers/rp-to-erase', { mode: 'sandbox', identity: { first_name: 'Aisha' } });
    await begin();
    expect((await admin(service, 'DELETE', '/farmers/rp-to-erase')).status).toBe(200);
    expect((await admin(service, 'GET', '/farmers/rp-to-erase')).status).toBe(404);
  });

  it('delivers webhooks', async () => {
    receiver.response = 500;
    const before = receiver.received.length;
    const report = { rupa_id: RUPA_ID, event: 'loan_disbursed', amount: 1_000, partner_reference: 'before-maintenance' };
    expect((await bank.call('POST', '/report', report)).status).toBe(200);
    await until(() => receiver.received.length > before);
    await begin();
    receiver.response = 200;
    const delivered = receiver.received.length;
    await until(() => receiver.received.length > delivered);
    await until(async () => {
      const { deliveries } = (await bank.call('GET', `/webhooks/${endpoint}/deliveries`)).body.data as { deliveries: { status: string }[] };
      return deliveries.some(({ status }) => status === 'delivered');
    });
  });

  it('is told by the administrators’ call, by health and by the metrics', async () => {
    // A store that does not respond in time is left out of a scrape.
    const metric = async (): Promise<number> => await until(async () => await measured.value('rupa_maintenance'));
    const none = await admin(service, 'GET', '/maintenance');
    expect(none.body.data).toStrictEqual({ maintenance: null });
    expect(await ready(false)).toStrictEqual({ status: 200, data: { status: 'ready' } });
    expect(await metric()).toBe(0);
    const end = inMs(HOUR_MS);
    const begun = await begin({ until: end });
    const maintenance = { reason: REASON, since: expect.any(String), until: end, actor: 'admin' };
    expect(begun.body.data).toStrictEqual({ maintenance });
    expect((await admin(service, 'GET', '/maintenance')).body.data).toStrictEqual({ maintenance });
    expect(await ready(true)).toStrictEqual({ status: 200, data: { status: 'ready', maintenance: { reason: REASON, until: end } } });
    expect(await metric()).toBe(1);
  });

  /**
   * Returns what health says once it says ready, with or without maintenance. On a busy machine, read models may lag for a moment, and a store
   * may take too long to tell of maintenance.
   */
  const ready = async (isMaintained: boolean): Promise<object> =>
    await until(async () => {
      const { status, body } = await call(service, 'GET', '/health/ready');
      return body.data.status === 'ready' && 'maintenance' in body.data === isMaintained && { status, data: body.data };
    });

  it('tells the seconds until its end in Retry-After, an hour at most', async () => {
    const retryAfter = async (): Promise<number> => Number((await bank.lookup(RUPA_ID)).headers.get('Retry-After'));
    await begin();
    expect(await retryAfter()).toBe(60);
    await begin({ until: inMs(3 * HOUR_MS) });
    expect(await retryAfter()).toBe(3_600);
    await begin({ until: inMs(HOUR_MS / 2) });
    const seconds = await retryAfter();
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(1_800);
  });

  it('is replaced by another reason or end, and ended, in each case once every instance follows', async () => {
    const end = inMs(HOUR_MS);
    const first = (await begin()).body.data.maintenance as { since: string };
    expect((await begin({ until: end })).body.data.maintenance).toMatchObject({ since: first.since, until: end });
    expect((await admin(service, 'PUT', '/maintenance', { reason: 'A restore.' })).body.data.maintenance).toMatchObject({ until: null });
    expect((await bank.lookup(RUPA_ID)).body.message).toContain('A restore.');
    expect((await admin(service, 'DELETE', '/maintenance')).body.data).toStrictEqual({ maintenance: null });
    expect((await bank.lookup(RUPA_ID)).status).toBe(200);
    expect((await admin(service, 'DELETE', '/maintenance')).body.data).toStrictEqual({ maintenance: null });
  });

  it('is refused without a reason, and with an end that has passed or is too far away', async () => {
    const errors = async (body: object): Promise<string[]> => {
      const { status, body: refused } = await admin(service, 'PUT', '/maintenance', body);
      expect(status).toBe(422);
      return Object.keys(refused.data.errors as object);
    };
    expect(await errors({})).toStrictEqual(['reason']);
    expect(await errors({ reason: 'ab' })).toStrictEqual(['reason']);
    expect(await errors({ reason: REASON, until: 'soon' })).toStrictEqual(['until']);
    expect(await errors({ reason: REASON, until: inMs(-1_000) })).toStrictEqual(['until']);
    expect(await errors({ reason: REASON, until: inMs(15 * 24 * HOUR_MS) })).toStrictEqual(['until']);
    expect((await bank.lookup(RUPA_ID)).status).toBe(200);
  });

  it('is in the audit trail, with the calls that it refused', async () => {
    await begin();
    await admin(service, 'PUT', '/farmers/rp-refused', {});
    // The end of a call that changes something is recorded after its response.
    for (const [action, status] of [
      ['PUT /admin/v1/farmers/:rupaId', 503],
      ['PUT /admin/v1/maintenance', 200],
    ] as const)
      await until(async () => {
        const { body } = await admin(service, 'GET', `/audit-trail?${new URLSearchParams({ action, limit: '200' }).toString()}`);
        const [newest] = body.data.entries as { status: number }[];
        return newest?.status === status;
      });
  });

  it('is on every page of the console, with the form that ends it on the first', async () => {
    const amina = new ConsoleVisitor(service);
    await amina.signIn(service.adminToken);
    expect(await (await amina.get('/console')).text()).toContain('Begin maintenance');
    expect((await amina.act('/console', '/console/maintenance/begin', { reason: REASON, until: '' })).status).toBe(303);
    for (const path of ['/console', '/console/partners', '/console/prices']) {
      const page = await (await amina.get(path)).text();
      expect(page).toContain('We move to &lt;another> event store.');
      expect(page).toContain('Change or end it');
    }
    expectRefused(await bank.lookup(RUPA_ID));
    // An act that is refused says so on the page that it was on.
    expect((await amina.submit('/console/partners', { ...(await amina.crafted()), company_name: 'Late' })).headers.get('Location')).toBe(
      '/console',
    );
    expect(await (await amina.get('/console')).text()).toContain('Nothing was changed or charged.');
    await amina.act('/console', '/console/maintenance/end');
    expect(await (await amina.get('/console')).text()).not.toContain('Change or end it');
    expect((await bank.lookup(RUPA_ID)).status).toBe(200);
  });
});
