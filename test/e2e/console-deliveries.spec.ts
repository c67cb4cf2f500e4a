import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedWebhookApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

interface Shown {
  readonly id: number;
  readonly status: string;
  readonly created_at: string;
}

describe('the deliveries of an endpoint in the console', () => {
  let service: Application;
  let bank: TestPartner;
  let receiver: Receiver;
  let auditor: ConsoleVisitor;
  let id: number;
  /** The ids of the deliveries, newest first. */
  let ids: readonly number[];

  beforeAll(async () => {
    service = await sharedWebhookApplication();
    bank = await makePartner(service, { mode: 'sandbox' });
    receiver = await startReceiver();
    id = (await bank.call('POST', '/webhooks', { url: receiver.url })).body.data.id as number;
    for (const rupaId of ['rp-shown-1', 'rp-shown-2']) {
      await admin(service, 'PUT', `/farmers/${rupaId}`, { mode: 'sandbox' });
      await bank.lookup(rupaId, { sections: ['identity'] });
    }
    await reportUntil('rp-shown-1', 'delivered', 1);
    await reportUntil('rp-shown-2', 'delivered', 2);
    receiver.response = 500;
    await reportUntil('rp-shown-2', 'exhausted', 3);
    ids = (await list()).map((each) => each.id);
    auditor = new ConsoleVisitor(service);
    await auditor.signIn(service.auditorToken);
  });
  afterAll(() => receiver.close());

  const list = async (): Promise<readonly Shown[]> =>
    (await admin(service, 'GET', `/webhooks/${id}/deliveries`)).body.data.deliveries as Shown[];
  const reportUntil = async (rupa_id: string, status: string, count: number): Promise<void> => {
    await bank.call('POST', '/report', { rupa_id, event: 'loan_disbursed' });
    await until(async () => {
      const found = await list();
      return found.length === count && found[0]?.status === status;
    });
  };
  const page = async (query: Readonly<Record<string, string>>): Promise<string> =>
    await (await auditor.get(`/console/webhooks/${id}?${new URLSearchParams(query).toString()}`)).text();
  /** Submits the form as a browser does, which sends the fields that are empty, too. */
  const shown = async (filter: Readonly<Record<string, string>>): Promise<number[]> => {
    const html = await page({ status: '', from: '', to: '', rupa_id: '', ...filter });
    const [, rows = ''] = html.split('<table');
    return ids.filter((each) => rows.includes(`<code>${each}</code>`));
  };

  it('are all shown without a filter', async () => {
    expect(ids).toHaveLength(3);
    expect(await shown({})).toStrictEqual(ids);
  });

  it('are limited to a status, to a farmer, to a period of minutes, and to all of these', async () => {
    const [newest, second, oldest] = ids;
    const [{ created_at } = { created_at: '' }] = await list();
    const minute = (minutes: number): string => new Date(Date.parse(created_at) + minutes * 60_000).toISOString().slice(0, 16);
    expect(await shown({ status: 'exhausted' })).toStrictEqual([newest]);
    expect(await shown({ status: 'delivered' })).toStrictEqual([second, oldest]);
    expect(await shown({ rupa_id: 'RP-shown-1' })).toStrictEqual([oldest]);
    expect(await shown({ from: minute(0) })).toContain(newest);
    expect(await shown({ to: minute(0) })).not.toContain(newest);
    expect(await shown({ from: '2020-01-01T00:00', to: minute(1), status: 'delivered', rupa_id: 'rp-shown-2' })).toStrictEqual([second]);
    expect(await page({ status: 'cancelled' })).toContain('No delivery matches.');
  });

  it('are shown with the filter in the form, which a browser without scripts sends', async () => {
    const html = await page({ status: 'exhausted', from: '2026-01-01T00:00', to: '2199-01-01T00:00', rupa_id: 'rp-shown-2' });
    const form = /<form [^>]*class="filters"[^]*?<\/form>/.exec(html)?.[0] ?? '';
    expect(form).toContain(`action="/console/webhooks/${id}"`);
    expect(form).toMatch(/<option value="exhausted" selected/);
    for (const value of ['2026-01-01T00:00', '2199-01-01T00:00', 'rp-shown-2']) expect(form).toContain(`value="${value}"`);
  });

  it.each([
    ['status', 'sent', 'must be one of pending, delivered, failed, exhausted, cancelled'],
    ['from', 'yesterday', 'must be an ISO 8601 date or timestamp'],
    ['to', '2026-02-30T00:00', 'must be an ISO 8601 date or timestamp'],
    ['rupa_id', 'rp_1', 'must have 1 to 64 letters'],
  ])('are refused with the sentence of the interface for a wrong %s', async (name, value, sentence) => {
    const response = await auditor.get(`/console/webhooks/${id}?${new URLSearchParams({ [name]: value }).toString()}`);
    expect([response.status, await response.text()]).toStrictEqual([422, expect.stringContaining(sentence)]);
  });
});
