import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedWebhookApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

interface Shown {
  readonly id: number;
  readonly status: string;
  readonly created_at: string;
}

describe('the list of deliveries', () => {
  let service: Application;
  let bank: TestPartner;
  let receiver: Receiver;
  let id: number;

  beforeAll(async () => {
    service = await sharedWebhookApplication();
    bank = await makePartner(service, { mode: 'sandbox' });
    receiver = await startReceiver();
    id = (await bank.call('POST', '/webhooks', { url: receiver.url })).body.data.id as number;
    for (const rupaId of ['rp-filtered-1', 'rp-filtered-2']) {
      await admin(service, 'PUT', `/farmers/${rupaId}`, { mode: 'sandbox' });
      await bank.lookup(rupaId, { sections: ['identity'] });
    }
    await report('rp-filtered-1', 'delivered');
    receiver.response = 500;
    await report('rp-filtered-1', 'exhausted');
    await report('rp-filtered-2', 'exhausted');
    // The next deliveries are later by the clock than those before.
    await until(async () => Date.now() > Date.parse((await list())[0]?.created_at ?? '') + 5);
    receiver.response = 200;
    await report('rp-filtered-2', 'delivered');
  });
  afterAll(async () => {
    await receiver.close();
  });

  const list = async (query = '', partner = bank): Promise<Shown[]> =>
    (await partner.call('GET', `/webhooks/${id}/deliveries${query}`)).body.data.deliveries as Shown[];
  const report = async (rupa_id: string, status: string): Promise<void> => {
    const before = (await list()).length;
    await bank.call('POST', '/report', { rupa_id, event: 'loan_disbursed' });
    await until(async () => {
      const found = await list();
      return found.length > before && found[0]?.status === status;
    });
  };
  const places = (found: readonly Shown[], all: readonly Shown[]): number[] =>
    found.map((each) => all.findIndex((other) => other.id === each.id));

  it('is limited to a status', async () => {
    const all = await list();
    expect(all.map(({ status }) => status)).toStrictEqual(['delivered', 'exhausted', 'exhausted', 'delivered']);
    expect(places(await list('?status=exhausted'), all)).toStrictEqual([1, 2]);
    expect(places(await list('?status=delivered'), all)).toStrictEqual([0, 3]);
    for (const status of ['pending', 'failed', 'cancelled']) expect(await list(`?status=${status}`)).toStrictEqual([]);
    expect(places(await list('?status='), all)).toStrictEqual([0, 1, 2, 3]);
  });

  it('is limited to a farmer, and to both', async () => {
    const all = await list();
    expect(places(await list('?rupa_id=RP-Filtered-1'), all)).toStrictEqual([2, 3]);
    expect(places(await list('?rupa_id=rp-filtered-2&status=exhausted'), all)).toStrictEqual([1]);
    expect(await list('?rupa_id=rp-nobody')).toStrictEqual([]);
  });

  it('is limited to a half-open period of created_at', async () => {
    const all = await list();
    const last = all[0]?.created_at ?? '';
    expect(places(await list(`?from=${last}`), all)).toStrictEqual([0]);
    expect(places(await list(`?to=${last}`), all)).toStrictEqual([1, 2, 3]);
    expect(places(await list(`?to=${last}&status=exhausted&rupa_id=rp-filtered-2`), all)).toStrictEqual([1]);
    const offset = `${last.slice(0, -1)}%2B00:00`;
    expect(places(await list(`?from=${offset}`), all)).toStrictEqual([0]);
    const day = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    expect(await list(`?from=${day(-1)}&to=${day(2)}`)).toHaveLength(4);
    expect(await list(`?from=${day(1)}`)).toStrictEqual([]);
    expect(await list(`?to=${day(-1)}`)).toStrictEqual([]);
  });

  it('is paged with its filter', async () => {
    const all = await list();
    const first = (await bank.call('GET', `/webhooks/${id}/deliveries?status=exhausted&limit=1`)).body.data;
    expect(places(first.deliveries as Shown[], all)).toStrictEqual([1]);
    const second = await list(`?status=exhausted&limit=1&cursor=${String(first.next_cursor)}`);
    expect(places(second, all)).toStrictEqual([2]);
  });

  it('is filtered alike for administrators', async () => {
    const path = `/webhooks/${id}/deliveries?status=delivered&rupa_id=rp-filtered-2`;
    expect((await admin(service, 'GET', path)).body.data.deliveries).toStrictEqual([(await list())[0]]);
  });

  it.each([
    ['status=sent', 'status', 'must be one of pending, delivered, failed, exhausted, cancelled'],
    ['status=Delivered', 'status', 'must be one of'],
    ['from=yesterday', 'from', 'must be an ISO 8601 date or timestamp'],
    ['to=2026-02-30', 'to', 'must be an ISO 8601 date or timestamp'],
    ['to=2026-03-01T10:00:00', 'to', 'must have an offset'],
    ['rupa_id=rp_1', 'rupa_id', 'must have 1 to 64 letters'],
    ['form=2026-03-01', 'form', 'is not known. Did you mean from?'],
    ['state=failed', 'state', 'is not known.'],
  ])('is refused with %s (422)', async (query, field, message) => {
    const { status, body } = await bank.call('GET', `/webhooks/${id}/deliveries?${query}`);
    expect(status).toBe(422);
    expect(body.data).toStrictEqual({ errors: { [field]: [expect.stringContaining(message)] } });
  });
});
