import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHmac } from 'node:crypto';
import { sharedWebhookApplication } from '../support/application.js';
import { admin, type ApiResponse, makePartner, type TestPartner } from '../support/client.js';
import { type ReceivedNotification, type Receiver, startReceiver } from '../support/receiver.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

interface Shown {
  readonly id: number;
  readonly status: string;
}

describe('a delivery with its body', () => {
  let service: Application;
  let bank: TestPartner;
  let receiver: Receiver;
  let id: number;
  let secret: string;
  let farmers = 0;

  beforeAll(async () => {
    service = await sharedWebhookApplication();
    bank = await makePartner(service, { mode: 'sandbox' });
    receiver = await startReceiver();
    const events = ['*', 'account.low_balance'];
    ({ id, signing_secret: secret } = (await bank.call('POST', '/webhooks', { url: receiver.url, events })).body.data as {
      id: number;
      signing_secret: string;
    });
  });
  afterAll(async () => {
    await receiver.close();
  });

  const get = (delivery: number, partner = bank): Promise<ApiResponse> => partner.call('GET', `/webhooks/${id}/deliveries/${delivery}`);
  const newest = async (status: string): Promise<Shown> =>
    await until(async () => {
      const [found] = (await bank.call('GET', `/webhooks/${id}/deliveries?limit=1`)).body.data.deliveries as Shown[];
      return found?.status === status && found;
    });
  const received = async (count: number): Promise<ReceivedNotification> => {
    await until(() => receiver.received.length >= count);
    return receiver.received.at(-1) as ReceivedNotification;
  };
  const consented = async (): Promise<string> => {
    farmers += 1;
    const rupa_id = `rp-body-${farmers}`;
    await admin(service, 'PUT', `/farmers/${rupa_id}`, { mode: 'sandbox' });
    await bank.lookup(rupa_id, { sections: ['identity'] });
    return rupa_id;
  };
  /** Reports something about the farmer, and returns the delivery about it once it has the status. */
  const reported = async (rupa_id: string, status: string): Promise<Shown> => {
    const contribution = (await bank.call('POST', '/report', { rupa_id, event: 'loan_disbursed', amount: 7 })).body.data.contribution_id;
    return await until(async () => {
      const found = await newest(status);
      return String((await get(found.id)).body.data.body).includes(`"contribution_id":${String(contribution)},`) && found;
    });
  };

  it('has the exact text that the receiver got, which is the text of its signature', async () => {
    const notifications: (() => Promise<unknown>)[] = [
      async () => await reported(await consented(), 'delivered'),
      () => bank.call('POST', `/webhooks/${id}/test`),
      () => bank.call('POST', '/sandbox/events', { type: 'farmer.claim_filed', rupa_id: 'rp-test-gold' }),
      () => bank.call('POST', '/sandbox/events', { type: 'account.low_balance' }),
    ];
    for (const notify of notifications) {
      const count = receiver.received.length;
      await notify();
      const { body: sent, headers } = await received(count + 1);
      const { id: delivery } = await newest('delivered');
      const { status, body } = await get(delivery);
      expect([status, body.data.body]).toStrictEqual([200, sent]);
      expect(createHmac('sha256', secret).update(String(body.data.body)).digest('hex')).toBe(headers['x-rupa-signature']);
      const [row] = (await bank.call('GET', `/webhooks/${id}/deliveries?limit=1`)).body.data.deliveries as object[];
      expect(body.data).toStrictEqual({ ...row, body: sent });
    }
  });

  it('has the same text before its next attempt, and after it was sent again', async () => {
    receiver.response = (_request, response) => void response.writeHead(503, { 'Retry-After': '3600' }).end();
    const { id: delivery } = await reported(await consented(), 'failed');
    const before = (await get(delivery)).body.data.body;
    receiver.response = 200;
    await bank.call('POST', `/webhooks/${id}/deliveries/${delivery}/resend`);
    await newest('delivered');
    expect((await get(delivery)).body.data.body).toBe(before);
    expect(receiver.received.at(-1)?.body).toBe(before);
  });

  it('is shown after a release if the endpoint has responded to it, and without its body otherwise', async () => {
    const rupaId = await consented();
    const { id: had } = await reported(rupaId, 'delivered');
    receiver.response = (request) => void request.socket.destroy();
    const { id: missed } = await reported(rupaId, 'exhausted');
    receiver.response = 200;
    expect((await get(missed)).body.data.body).toContain(rupaId);
    await bank.call('DELETE', `/consents/${rupaId}`);
    expect((await get(had)).body.data.body).toContain(rupaId);
    expect((await get(missed)).body.data).toMatchObject({ id: missed, body: null });
    const listed = (await bank.call('GET', `/webhooks/${id}/deliveries?rupa_id=${rupaId}`)).body.data.deliveries as Shown[];
    expect(listed.map((each) => each.id)).toStrictEqual([had]);
  });

  it('about an erased farmer has no body', async () => {
    const rupaId = await consented();
    const { id: delivery } = await reported(rupaId, 'delivered');
    await admin(service, 'DELETE', `/farmers/${rupaId}`);
    expect((await get(delivery)).body.data).toMatchObject({ id: delivery, status: 'delivered', body: null });
    expect((await bank.call('GET', `/webhooks/${id}/deliveries?rupa_id=${rupaId}`)).body.data.deliveries).toStrictEqual([]);
  });

  it('is unknown if it is not of the endpoint, or the endpoint not of the partner (404)', async () => {
    await bank.call('POST', `/webhooks/${id}/test`);
    const { id: delivery } = await newest('delivered');
    const other = await makePartner(service, { mode: 'sandbox' });
    expect(await get(delivery, other)).toMatchObject({ status: 404, body: { code: 'webhook_not_found' } });
    for (const unknown of [999_999, 'x', 0])
      expect(await bank.call('GET', `/webhooks/${id}/deliveries/${unknown}`)).toMatchObject({
        status: 404,
        body: { code: 'delivery_not_found', message: 'No delivery found for that id.' },
      });
    const second = (await bank.call('POST', '/webhooks', { url: receiver.url })).body.data.id as number;
    expect(await bank.call('GET', `/webhooks/${second}/deliveries/${delivery}`)).toMatchObject({
      status: 404,
      body: { code: 'delivery_not_found' },
    });
  });
});
