import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, type ApiResponse, balanceOf, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { type Application } from '../support/service.js';

describe('a lookup that is retried with an Idempotency-Key', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    bank = await makePartner(service);
    await admin(service, 'PUT', '/farmers/rp-retry-1', {});
  });

  const body = { rupa_id: 'rp-retry-1', sections: ['identity'] };
  const lookUp = (key: string, over: object = {}, partner = bank): Promise<ApiResponse> =>
    partner.call('POST', '/lookup', { ...body, ...over }, { 'Idempotency-Key': key });
  const text = async (key: string): Promise<string> => {
    const headers = { 'X-API-KEY': bank.key, 'Content-Type': 'application/json', 'Idempotency-Key': key };
    const send = (): Promise<Response> => fetch(`${service.url}/v1/rupa/lookup`, { method: 'POST', headers, body: JSON.stringify(body) });
    return await (await whenServed(send)).text();
  };

  it('returns the stored response byte for byte, without a charge', async () => {
    const before = await balanceOf(service, bank);
    const first = await text('k1');
    const replayed = await lookUp(' k1 '.trim(), { rupa_id: ' RP-RETRY-1 ' });
    expect([replayed.status, replayed.headers.get('Idempotent-Replayed')]).toStrictEqual([200, 'true']);
    expect(await text('k1')).toBe(first);
    expect(before - (await balanceOf(service, bank))).toBe(50);
    const { consents } = (await bank.call('GET', '/consents')).body.data as { consents: { access_count: number }[] };
    expect(consents[0]?.access_count).toBe(1);
  });

  it('has no Idempotent-Replayed header on its first response', async () => {
    expect((await lookUp('k-first')).headers.has('Idempotent-Replayed')).toBe(false);
  });

  it('is refused with 422 when the body differs', async () => {
    await lookUp('k2');
    expect(await lookUp('k2', { source: 'other' })).toMatchObject({
      status: 422,
      body: {
        success: false,
        message: 'Validation Error',
        code: 'idempotency_key_reused',
        data: { errors: { 'Idempotency-Key': ['The Idempotency-Key header was already used with another path or body.'] } },
      },
    });
  });

  it('is refused with 422 when the key is invalid', async () => {
    for (const key of ['', 'k'.repeat(256), 'caf\u00e9']) expect((await lookUp(key)).status).toBe(422);
    expect((await lookUp('k'.repeat(255))).status).toBe(200);
  });

  it('does not share its key with another partner', async () => {
    const other = await makePartner(service);
    await lookUp('k3');
    const response = await lookUp('k3', {}, other);
    expect([response.status, response.headers.has('Idempotent-Replayed')]).toStrictEqual([200, false]);
  });

  it('is charged once when it is sent many times concurrently', async () => {
    const before = await balanceOf(service, bank);
    const responses = await Promise.all(Array.from({ length: 30 }, () => lookUp('k4')));
    for (const { status } of responses) expect([200, 409]).toContain(status);
    expect(responses.filter(({ status, headers }) => status === 200 && !headers.has('Idempotent-Replayed'))).toHaveLength(1);
    expect(before - (await balanceOf(service, bank))).toBe(50);
  });

  it('stores only billed responses', async () => {
    const unfunded = await makePartner(service, { credit: 0 });
    expect((await lookUp('k5', {}, unfunded)).status).toBe(402);
    await admin(service, 'POST', `/partners/${unfunded.partner_id}/wallet/credits`, { amount: 50, reference: 'top-up' });
    expect((await lookUp('k5', {}, unfunded)).status).toBe(200);
    expect((await lookUp('k6', { rupa_id: 'rp-retry-later' })).status).toBe(404);
    await admin(service, 'PUT', '/farmers/rp-retry-later', {});
    expect((await lookUp('k6', { rupa_id: 'rp-retry-later' })).status).toBe(200);
  });
});
