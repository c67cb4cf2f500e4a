import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedWebhookApplication } from '../support/application.js';
import { admin, type ApiResponse, makePartner, type TestPartner } from '../support/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

describe('a recovery of an endpoint', () => {
  let service: Application;
  let bank: TestPartner;
  let receiver: Receiver;
  let endpoint: number;

  beforeAll(async () => {
    service = await sharedWebhookApplication();
    bank = await makePartner(service, { mode: 'sandbox' });
    await admin(service, 'PUT', '/farmers/rp-recovered', { mode: 'sandbox' });
    await bank.lookup('rp-recovered', { sections: ['identity'] });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.close();
  });

  const register = async (events: string[]): Promise<number> =>
    (await bank.call('POST', '/webhooks', { url: receiver.url, events })).body.data.id as number;
  const recover = (since: unknown = ago(10 * MINUTE_MS), headers = {}, partner = bank, id = endpoint): Promise<ApiResponse> =>
    partner.call('POST', `/webhooks/${id}/recover`, { since }, headers);
  const report = async (event: string): Promise<number> =>
    (await bank.call('POST', '/report', { rupa_id: 'rp-recovered', event })).body.data.contribution_id as number;
  const listedTo = (contribution: number): Promise<unknown> =>
    until(async () =>
      ((await bank.call('GET', '/events?limit=200')).body.data.events as { data: { contribution_id: number } }[]).some(
        ({ data }) => data.contribution_id === contribution,
      ),
    );
  const received = (): unknown[] => receiver.received.map(({ json }) => json.data.contribution_id);
  const statuses = async (): Promise<string[]> =>
    ((await bank.call('GET', `/webhooks/${endpoint}/deliveries?limit=100`)).body.data.deliveries as { status: string }[]).map(
      ({ status }) => status,
    );
  const ended = (): Promise<unknown> => until(async () => (await statuses()).every((status) => !['pending', 'failed'].includes(status)));

  it('sends in order what happened before the endpoint was registered, and only what it subscribes to', async () => {
    const before = [await report('loan_disbursed'), await report('loan_repayment'), await report('loan_disbursed')];
    await listedTo(before[2] ?? 0);
    endpoint = await register(['farmer.loan_added']);
    expect(await recover()).toMatchObject({ status: 202, body: { success: true, data: { queued: 2 } } });
    await until(() => receiver.received.length === 2);
    expect(new Set(received())).toStrictEqual(new Set([before[0], before[2]]));
    await ended();
    expect((await recover()).body.data).toStrictEqual({ queued: 0 });
  });

  it('queues deliveries again that were exhausted or cancelled, also while the endpoint was disabled', async () => {
    const count = receiver.received.length;
    receiver.response = 500;
    await report('loan_disbursed');
    await until(async () => (await statuses())[0] === 'exhausted');
    receiver.response = 410;
    await report('loan_disbursed');
    await until(async () => (await bank.call('GET', `/webhooks/${endpoint}`)).body.data.status === 'disabled');
    const disabled = await recover();
    expect(disabled).toMatchObject({ status: 409, body: { code: 'conflict', message: expect.stringContaining('disabled') } });
    for (const path of ['test', 'deliveries/1/resend'])
      expect(await bank.call('POST', `/webhooks/${endpoint}/${path}`)).toMatchObject({ status: 409, body: { code: 'conflict' } });
    expect(await admin(service, 'POST', `/webhooks/${endpoint}/deliveries/1/resend`)).toMatchObject({ status: 409 });
    await listedTo(await report('loan_disbursed'));
    receiver.response = 200;
    await bank.call('PATCH', `/webhooks/${endpoint}`, {});
    expect((await recover()).body.data).toStrictEqual({ queued: 3 });
    await ended();
    const all = (await statuses()).length;
    expect(all).toBe(5);
    expect(new Set(receiver.received.slice(count).map(({ json }) => json.id)).size).toBe(3);
    expect((await recover()).body.data).toStrictEqual({ queued: 0 });
  });

  it('supersedes an earlier one that has attempts to make, and sends each event once', async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await bank.call('PATCH', `/webhooks/${endpoint}`, { events: ['farmer.loan_defaulted'] });
    const defaults = [await report('loan_defaulted'), await report('loan_defaulted')];
    await until(() => defaults.every((each) => received().includes(each)));
    await ended();
    await bank.call('PATCH', `/webhooks/${endpoint}`, { events: ['farmer.loan_repaid'] });
    receiver.response = (_request, response) => void held.then(() => response.writeHead(200).end());
    const count = receiver.received.length;
    expect((await recover()).body.data).toStrictEqual({ queued: 1 });
    await until(() => receiver.received.length > count);
    expect(await recover()).toMatchObject({ status: 202, body: { data: { queued: 1 } } });
    release();
    await ended();
    expect(receiver.received).toHaveLength(count + 1);
    expect((await recover()).body.data).toStrictEqual({ queued: 0 });
    receiver.response = 200;
  });

  it('sends what was given up and what was missed, each once', async () => {
    await bank.call('PATCH', `/webhooks/${endpoint}`, { events: ['farmer.loan_defaulted'] });
    receiver.response = 500;
    const given = [await report('loan_defaulted'), await report('loan_defaulted'), await report('loan_defaulted')];
    await until(async () => (await statuses()).slice(0, 3).every((status) => status === 'exhausted'));
    await bank.call('POST', `/webhooks/${endpoint}/disable`);
    const missed = [await report('loan_defaulted'), await report('loan_defaulted')];
    await listedTo(missed[1] ?? 0);
    await bank.call('POST', `/webhooks/${endpoint}/enable`);
    const count = receiver.received.length;
    receiver.response = 200;
    expect((await recover()).body.data).toStrictEqual({ queued: 5 });
    await ended();
    // Attempts may overlap, so they may arrive in another order than that in which they were due.
    expect(new Set(received().slice(count))).toStrictEqual(new Set([...given, ...missed]));
    expect(receiver.received).toHaveLength(count + 5);
  });

  it('is executed once for an Idempotency-Key', async () => {
    await bank.call('PATCH', `/webhooks/${endpoint}`, { events: ['*'] });
    await ended();
    const since = ago(10 * MINUTE_MS);
    const [first, second] = [await recover(since, { 'Idempotency-Key': 'r' }), await recover(since, { 'Idempotency-Key': 'r' })];
    expect([first.status, second.status, second.headers.get('Idempotent-Replayed')]).toStrictEqual([202, 202, 'true']);
    expect(second.body).toStrictEqual(first.body);
    await ended();
  });

  it('goes back 30 days at most, and not into the future (422)', async () => {
    expect((await recover(ago(30 * DAY_MS - MINUTE_MS))).status).toBe(202);
    for (const since of [ago(30 * DAY_MS + MINUTE_MS), ago(-MINUTE_MS), '2020-01-01', 'yesterday', '2026-01-01T10:00:00', null, 5])
      expect(await recover(since)).toMatchObject({ status: 422, body: { data: { errors: { since: expect.any(Array) } } } });
  });

  it('is unknown for the endpoint of another partner (404)', async () => {
    const other = await makePartner(service, { mode: 'sandbox' });
    for (const [partner, id] of [
      [other, endpoint],
      [bank, 999_999],
    ] as const)
      expect(await recover(undefined, {}, partner, id)).toMatchObject({ status: 404, body: { code: 'webhook_not_found' } });
  });
});
