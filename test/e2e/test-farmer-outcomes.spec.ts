import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { type ApiResponse, entriesOf, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

const IDENTITY = { sections: ['identity'] };

describe('lookups of test farmers that end otherwise', () => {
  let service: Application;
  let bank: TestPartner;
  /** The same partner, whose calls are sent once: those of the shared application are repeated until they get another response than 503. */
  let once: TestPartner;
  let patient: TestPartner;
  let begun: number;
  /** It takes ten seconds, beside the other tests. */
  let slow: Promise<ApiResponse>;
  let hurried: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    patient = await makePartner(service, { mode: 'sandbox', credit: 50 });
    begun = performance.now();
    slow = patient.lookup('rp-test-slow', IDENTITY);
    hurried = await until(hungUpOnSlow);
    bank = await makePartner(service, { mode: 'sandbox', credit: 1_000 });
    const { repeatsUnserved: _, ...unrepeated } = service;
    once = partnerWith(unrepeated, bank.partner_id, bank.key);
  });

  /**
   * Lets a new partner look the slow test farmer up without and with a key, and hang up once both lookups are charged. Returns the partner;
   * undefined if a lookup had ended before, as it may on a busy machine.
   */
  const hungUpOnSlow = async (): Promise<TestPartner | undefined> => {
    const partner = await makePartner(service, { mode: 'sandbox', credit: 100 });
    const caller = new AbortController();
    const ended: unknown[] = [];
    const calls = [{}, { 'Idempotency-Key': 'slow' }].map(async (header) => {
      const headers = { 'X-API-KEY': partner.key, 'Content-Type': 'application/json', ...header };
      const body = JSON.stringify({ rupa_id: 'rp-test-slow', ...IDENTITY });
      const url = `${service.url}/v1/rupa/lookup`;
      return await fetch(url, { method: 'POST', headers, body, signal: caller.signal }).finally(() => ended.push(header));
    });
    await until(async () => ended.length > 0 || (await partner.call('GET', '/wallet/head')).body.data.balance === 0);
    caller.abort();
    return (await Promise.allSettled(calls)).every(({ status }) => status === 'rejected') ? partner : undefined;
  };

  /** Settlements are left out, because they follow on their own time. */
  const types = async (partner: TestPartner): Promise<string[]> =>
    (await entriesOf(service, partner)).map(({ type }) => type).filter((type) => type !== 'ChargesSettled');
  const callerFor = (rupaId: string): TestPartner => (rupaId === 'rp-test-busy' ? once : bank);
  /** Sends a lookup with a key, and one of another farmer with the same key, which is free again. */
  const keyed = async (name: string): Promise<ApiResponse> => {
    const headers = { 'Idempotency-Key': name };
    const response = await callerFor(name).call('POST', '/lookup', { rupa_id: name, ...IDENTITY }, headers);
    expect((await bank.call('POST', '/lookup', { rupa_id: 'rp-test-gold', ...IDENTITY }, headers)).status).toBe(200);
    return response;
  };

  it('get 402 for rp-test-no-money, whatever the balance', async () => {
    expect(await keyed('rp-test-no-money')).toMatchObject({
      status: 402,
      body: {
        code: 'insufficient_balance',
        data: { required_amount: 50, available_amount: 0, shortfall: 50, breakdown: { 'svc_fee.identity': 50 } },
      },
    });
  });

  it.each([
    ['rp-test-limited', 429, 'rate_limited'],
    ['rp-test-busy', 503, 'unavailable'],
  ])('get for %s %i with Retry-After', async (name, status, code) => {
    const response = await keyed(name);
    expect(response).toMatchObject({ status, body: { success: false, code } });
    expect(response.headers.get('Retry-After')).toBe('1');
  });

  it('charge nothing, and grant no consent', async () => {
    const before = await types(bank);
    for (const name of ['rp-test-no-money', 'rp-test-limited', 'rp-test-busy']) await callerFor(name).lookup(name);
    expect(await types(bank)).toStrictEqual(before);
    expect(((await bank.call('GET', '/consents')).body.data.consents as { rupa_id: string }[]).map(({ rupa_id }) => rupa_id)).toStrictEqual(
      ['rp-test-gold'],
    );
  });

  it('are taken as usual in reports', async () => {
    for (const name of ['no-money', 'limited', 'busy', 'slow']) {
      const report = { rupa_id: `rp-test-${name}`, event: 'loan_disbursed', amount: 1_000 };
      expect((await bank.call('POST', '/report', report)).status).toBe(200);
    }
  });

  it('get 200 for rp-test-slow after ten seconds, and are charged', async () => {
    expect(await slow).toMatchObject({ status: 200, body: { data: { billing: { amount_charged: 50 } } } });
    expect(performance.now() - begun).toBeGreaterThanOrEqual(9_900);
    expect((await patient.call('GET', '/wallet/head')).body.data).toMatchObject({ balance: 0 });
  });

  it('stay charged if the caller of rp-test-slow hangs up, and give the response to a retry with the key', async () => {
    const outcomes = async () =>
      ((await hurried.call('GET', '/lookups')).body.data.lookups as { outcome: string }[]).map((each) => each.outcome);
    const ended = await until(async () => {
      const found = await outcomes();
      return found.length === 2 && !found.includes('open') && found;
    });
    expect(ended).toStrictEqual(['settled', 'settled']);
    const body = { rupa_id: 'rp-test-slow', ...IDENTITY };
    const retry = await hurried.call('POST', '/lookup', body, { 'Idempotency-Key': 'slow' });
    expect(retry).toMatchObject({ status: 200, body: { data: { rupa_id: 'rp-test-slow', billing: { amount_charged: 50 } } } });
    expect(retry.headers.get('Idempotent-Replayed')).toBe('true');
    expect((await hurried.call('GET', '/wallet/head')).body.data).toMatchObject({ balance: 0 });
  });
});
