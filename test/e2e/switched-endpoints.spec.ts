import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedWebhookApplication } from '../support/application.js';
import { admin, type ApiResponse, makePartner, type TestPartner } from '../support/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

describe('a webhook endpoint', () => {
  let service: Application;
  let bank: TestPartner;
  let receiver: Receiver;

  beforeAll(async () => {
    service = await sharedWebhookApplication();
    bank = await makePartner(service, { mode: 'sandbox' });
    await admin(service, 'PUT', '/farmers/rp-switched', { mode: 'sandbox' });
    await bank.lookup('rp-switched', { sections: ['identity'] });
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await receiver.close();
  });

  const register = async (partner = bank): Promise<number> =>
    (await partner.call('POST', '/webhooks', { url: receiver.url, events: ['farmer.loan_added'] })).body.data.id as number;
  const post = (id: number, act: string, partner = bank): Promise<ApiResponse> => partner.call('POST', `/webhooks/${id}/${act}`);
  const patch = (id: number, body: object = {}): Promise<ApiResponse> => bank.call('PATCH', `/webhooks/${id}`, body);
  const report = async (): Promise<number> =>
    (await bank.call('POST', '/report', { rupa_id: 'rp-switched', event: 'loan_disbursed' })).body.data.contribution_id as number;
  const received = (contribution: number): Promise<unknown> =>
    until(() => receiver.received.some(({ json }) => json.data.contribution_id === contribution));

  it('is disabled and enabled by its partner, each with the endpoint as the response', async () => {
    const id = await register();
    const before = (await bank.call('GET', `/webhooks/${id}`)).body.data;
    for (let times = 0; times < 2; times += 1) {
      const { status, body } = await post(id, 'disable');
      expect([status, body]).toStrictEqual([200, { success: true, data: { ...before, status: 'disabled', disabled_reason: 'partner' } }]);
      expect((await bank.call('GET', `/webhooks/${id}`)).body).toStrictEqual(body);
    }
    for (let times = 0; times < 2; times += 1) expect((await post(id, 'enable')).body).toStrictEqual({ success: true, data: before });
  });

  it('is notified of nothing while it is disabled, and of what happens after it was enabled', async () => {
    const id = await register();
    await post(id, 'disable');
    const other = await register();
    const missed = await report();
    await received(missed);
    await post(other, 'disable');
    await post(id, 'enable');
    await received(await report());
    const { deliveries } = (await bank.call('GET', `/webhooks/${id}/deliveries`)).body.data as { deliveries: unknown[] };
    expect(deliveries).toHaveLength(1);
  });

  it.each(['partner', 'operator'])('that a call of the %s has disabled is not enabled by an update', async (reason) => {
    const id = await register();
    const disable = { partner: () => post(id, 'disable'), operator: () => admin(service, 'POST', `/webhooks/${id}/disable`) };
    expect((await disable[reason as keyof typeof disable]()).body.data).toMatchObject({ status: 'disabled', disabled_reason: reason });
    for (const body of [{}, { name: 'renamed' }, { url: `${receiver.url}/other` }])
      expect((await patch(id, body)).body.data).toMatchObject({ ...body, status: 'disabled', disabled_reason: reason });
    expect((await bank.call('PUT', `/webhooks/${id}`, { events: ['*'] })).body.data).toMatchObject({ status: 'disabled' });
    expect(await post(id, 'test')).toMatchObject({ status: 409, body: { code: 'conflict', message: expect.stringContaining('/enable') } });
    expect((await post(id, 'enable')).body.data).toMatchObject({ status: 'enabled', name: 'renamed', subscribed_events: ['*'] });
  });

  it('that its partner has disabled is enabled by an operator, too', async () => {
    const id = await register();
    await post(id, 'disable');
    expect((await admin(service, 'POST', `/webhooks/${id}/enable`)).body.data).toMatchObject({ status: 'enabled' });
  });

  it('that a 410 has disabled is enabled by an update, unless its partner disables it, too', async () => {
    const id = await register();
    receiver.response = 410;
    for (const isDisabledByCall of [false, true]) {
      await report();
      await until(async () => (await bank.call('GET', `/webhooks/${id}`)).body.data.disabled_reason === 'gone');
      if (isDisabledByCall) expect((await post(id, 'disable')).body.data).toMatchObject({ disabled_reason: 'partner' });
      expect((await patch(id)).body.data).toMatchObject({ status: isDisabledByCall ? 'disabled' : 'enabled' });
    }
    receiver.response = 200;
  });

  it('of another partner is unknown (404)', async () => {
    const other = await makePartner(service, { mode: 'sandbox' });
    const id = await register(other);
    for (const act of ['disable', 'enable'])
      for (const endpoint of [id, 999_999])
        expect(await post(endpoint, act)).toMatchObject({ status: 404, body: { code: 'webhook_not_found' } });
    expect((await other.call('GET', `/webhooks/${id}`)).body.data).toMatchObject({ status: 'enabled' });
  });
});
