import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, type ApiResponse, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { type Application } from '../support/service.js';

describe('an Idempotency-Key on a call that creates', () => {
  let service: Application;
  let bank: TestPartner;

  beforeAll(async () => {
    service = await sharedApplication();
    for (const id of ['rp-keyed-1', 'rp-keyed-erased']) await admin(service, 'PUT', `/farmers/${id}`, {});
    bank = await makePartner(service, { active: false });
  });

  const post = async (path: string, key: string, body: unknown, partner = bank): Promise<ApiResponse> =>
    await partner.call('POST', path, body, { 'Idempotency-Key': key });
  const replayed = ({ headers }: ApiResponse): boolean => headers.get('Idempotent-Replayed') === 'true';
  const endpoints = async (partner: TestPartner): Promise<unknown[]> =>
    (await partner.call('GET', '/webhooks')).body.data.endpoints as unknown[];
  const contributions = async (partner: TestPartner): Promise<unknown[]> =>
    (await partner.call('GET', '/contributions')).body.data.contributions as unknown[];
  const loan = { rupa_id: 'rp-keyed-1', event: 'loan_disbursed', amount: 5 };
  const hook = { url: 'https://example.com/hooks' };

  it('registers one endpoint, and shows its signing secret to every retry', async () => {
    const partner = await makePartner(service, { active: false });
    const responses = [await post('/webhooks', 'w1', hook, partner), await post('/webhooks', 'w1', { ...hook }, partner)];
    expect(responses.map((response) => [response.status, replayed(response)])).toStrictEqual([
      [201, false],
      [201, true],
    ]);
    expect(responses[1]?.body).toStrictEqual(responses[0]?.body);
    expect(await endpoints(partner)).toHaveLength(1);
  });

  it('records one contribution for a report without a reference, byte for byte the same response', async () => {
    const partner = await makePartner(service);
    const headers = { 'X-API-KEY': partner.key, 'Content-Type': 'application/json', 'Idempotency-Key': 'r1' };
    const text = async (body: object): Promise<string> =>
      await (
        await whenServed(() => fetch(`${service.url}/v1/rupa/report`, { method: 'POST', headers, body: JSON.stringify(body) }))
      ).text();
    const first = await text(loan);
    expect(JSON.parse(first)).toMatchObject({ success: true, data: { created: true } });
    expect(await text({ amount: 5, event: loan.event, rupa_id: loan.rupa_id })).toBe(first);
    expect(await contributions(partner)).toHaveLength(1);
    await post('/report', 'r2', loan, partner);
    expect(await contributions(partner)).toHaveLength(2);
  });

  it('executes one of many concurrent requests', async () => {
    const partner = await makePartner(service);
    const responses = await Promise.all(Array.from({ length: 20 }, () => post('/report', 'many', loan, partner)));
    for (const { status, body } of responses)
      expect([200, 409]).toContain(status === 409 && (body as { code?: string }).code !== 'idempotency_in_progress' ? 0 : status);
    expect(responses.filter((response) => response.status === 200 && !replayed(response))).toHaveLength(1);
    expect(await contributions(partner)).toHaveLength(1);
  });

  it('is refused for another body, and for another path', async () => {
    await post('/report', 'used', loan);
    for (const again of [post('/report', 'used', { ...loan, amount: 6 }), post('/webhooks', 'used', hook)])
      expect(await again).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused', data: { errors: expect.any(Object) } } });
    const lookedUp = await makePartner(service);
    await lookedUp.call('POST', '/lookup', { rupa_id: 'rp-keyed-1' }, { 'Idempotency-Key': 'looked-up' });
    expect((await post('/report', 'looked-up', loan, lookedUp)).body).toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('is free again after a request that was refused', async () => {
    expect((await post('/report', 'refused', { ...loan, rupa_id: 'rp-keyed-nobody' })).status).toBe(404);
    expect((await post('/report', 'refused', { ...loan, amount: -1 })).status).toBe(422);
    expect((await post('/report', 'refused', loan)).status).toBe(200);
  });

  it('works for tests, resends and rotations', async () => {
    const partner = await makePartner(service);
    const { id } = (await post('/webhooks', 'e', hook, partner)).body.data as { id: number };
    const [test, again] = [
      await post(`/webhooks/${id}/test`, 't', undefined, partner),
      await post(`/webhooks/${id}/test`, 't', undefined, partner),
    ];
    expect([again.body, replayed(again)]).toStrictEqual([test.body, true]);
    const resend = `/webhooks/${id}/deliveries/${String(test.body.data.id)}/resend`;
    expect(replayed(await post(resend, 's', undefined, partner))).toBe(false);
    expect(replayed(await post(resend, 's', undefined, partner))).toBe(true);
    const [rotated, repeated] = [
      await post(`/webhooks/${id}/rotate-secret`, 'o', undefined, partner),
      await post(`/webhooks/${id}/rotate-secret`, 'o', undefined, partner),
    ];
    expect(repeated.body).toStrictEqual(rotated.body);
  });

  it('is free again after a call with an unknown field', async () => {
    const partner = await makePartner(service, { mode: 'sandbox' });
    const calls = { '/webhooks': hook, '/sandbox/wallet/credits': { amount: 1 } };
    for (const [path, body] of Object.entries(calls)) {
      const refused = await post(path, `misspelt ${path}`, { ...body, rupa_id: 'rp-keyed-nobody' }, partner);
      expect(refused).toMatchObject({ status: 422, body: { data: { errors: { rupa_id: ['The rupa id field is not known.'] } } } });
      const made = await post(path, `misspelt ${path}`, body, partner);
      expect([made.status, replayed(made)]).toStrictEqual([201, false]);
      expect(replayed(await post(path, `misspelt ${path}`, body, partner))).toBe(true);
    }
    expect(await endpoints(partner)).toHaveLength(1);
  });

  it('is kept whatever farmer a body names whom its call is not about: an unknown one, or one who is erased later', async () => {
    await admin(service, 'PUT', '/farmers/rp-keyed-ignored', { mode: 'sandbox' });
    const partner = await makePartner(service, { mode: 'sandbox' });
    const all = async (): Promise<ApiResponse[]> => {
      const responses: ApiResponse[] = [];
      for (const rupa_id of ['rp-keyed-nobody', 'rp-keyed-ignored'])
        responses.push(await post('/sandbox/events', `ignored-${rupa_id}`, { type: 'account.low_balance', rupa_id }, partner));
      return responses;
    };
    const first = await all();
    expect(first.map(({ status }) => status)).toEqual([202, 202]);
    await admin(service, 'DELETE', '/farmers/rp-keyed-ignored');
    const again = await all();
    expect(again.map(replayed)).toEqual([true, true]);
    expect(again.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
  });

  it('forgets the response about a farmer who is erased', async () => {
    const erased = { ...loan, rupa_id: 'RP-keyed-erased' };
    await post('/report', 'erased', erased);
    await admin(service, 'DELETE', '/farmers/rp-keyed-erased');
    expect((await post('/report', 'erased', erased)).body).toMatchObject({ code: 'farmer_not_found' });
  });

  it.each(['', 'k'.repeat(256)])('must have 1 to 255 characters: %j', async (key) => {
    expect((await post('/report', key, loan)).body).toMatchObject({ code: 'validation_failed' });
  });
});
