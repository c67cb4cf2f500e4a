import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sharedWebhookApplication } from '../support/application.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

describe('a low balance', () => {
  let service: Application;
  let bank: TestPartner;
  let named: Receiver;
  let all: Receiver;

  beforeAll(async () => {
    service = await sharedWebhookApplication();
    await admin(service, 'PUT', '/farmers/rp-low-1', { mode: 'sandbox' });
    bank = await makePartner(service, { mode: 'sandbox', credit: 1_000 });
    [named, all] = [await startReceiver(), await startReceiver()];
    const register = async (url: string, events: string[]) => (await bank.call('POST', '/webhooks', { url, events })).body.data;
    expect(await register(named.url, ['farmer.loan_added', '*', 'account.low_balance'])).toMatchObject({
      subscribed_events: ['*', 'account.low_balance'],
    });
    expect(await register(all.url, ['*'])).toMatchObject({ subscribed_events: ['*'] });
  });
  afterAll(async () => {
    await Promise.all([named.close(), all.close()]);
  });

  const set = (amount: unknown, partner = bank) => partner.call('PUT', '/me/low-balance', { amount });
  const spend = async (): Promise<void> => {
    expect((await bank.lookup('rp-low-1', { sections: ['identity'] })).status).toBe(200);
  };
  const credit = (amount: number, reference: string) =>
    admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, { amount, reference });
  /** Returns the balances of the notifications, once there are this many. */
  const notified = async (receiver: Receiver, count: number): Promise<unknown[]> => {
    await until(() => receiver.received.length >= count);
    return receiver.received.filter(({ json }) => json.type === 'account.low_balance').map(({ json }) => json.data.balance);
  };

  it('has a threshold that the account shows', async () => {
    expect((await set(900.5)).body.data).toStrictEqual({ amount: 900.5 });
    expect((await bank.call('GET', '/me')).body.data.low_balance_threshold).toBe(900.5);
    const pending = await makePartner(service, { active: false });
    expect((await set(1, pending)).body.data).toStrictEqual({ amount: 1 });
    expect((await set(null, pending)).body.data).toStrictEqual({ amount: null });
    expect((await pending.call('GET', '/me')).body.data.low_balance_threshold).toBeNull();
  });

  it.each([undefined, 0, -1, 0.001, '5', true])('has no threshold of %j (422)', async (amount) => {
    expect(await set(amount)).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });

  it('is notified once each time the balance falls through it, to endpoints that name it', async () => {
    for (let lookups = 0; lookups < 4; lookups += 1) await spend();
    expect(await notified(named, 1)).toStrictEqual([900]);
    expect(named.received[0]?.json).toStrictEqual({
      id: expect.any(String),
      type: 'account.low_balance',
      created_at: expect.any(String),
      mode: 'sandbox',
      data: { balance: 900, threshold: 900.5, currency: 'NGN' },
    });
    await set(2_000);
    await spend();
    await credit(2_000, 'again');
    for (let lookups = 0; lookups < 16; lookups += 1) await spend();
    expect(await notified(named, 2)).toStrictEqual([900, 1_950]);
    await set(null);
    await set(1_900);
    await bank.call('POST', '/report', { rupa_id: 'rp-low-1', event: 'loan_disbursed' });
    // The notification of the report comes after all that the lookups could have caused.
    await until(() => all.received.length === 1 && named.received.length === 3);
    expect(named.received.map(({ json }) => json.type)).toStrictEqual(['account.low_balance', 'account.low_balance', 'farmer.loan_added']);
    expect(all.received.map(({ json }) => json.type)).toStrictEqual(['farmer.loan_added']);
  });

  it('is in the list of events, whose entries are the bodies that were delivered', async () => {
    const { events } = (await bank.call('GET', '/events')).body.data as { events: unknown[] };
    expect(events).toStrictEqual(named.received.map(({ json }) => json));
    const falls = (await bank.call('GET', '/events?type=account.low_balance')).body.data as { events: unknown[] };
    expect(falls.events).toStrictEqual(events.slice(0, 2));
  });

  it('is after the nine available events about farmers', async () => {
    expect(((await bank.call('GET', '/webhooks')).body.data.available_events as string[])[9]).toBe('account.low_balance');
  });
});
