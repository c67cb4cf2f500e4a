import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, call, makePartner } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

describe('rate limits', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startApplication({
      RATE_LIMIT_LIVE_PER_SECOND: '10',
      RATE_LIMIT_SANDBOX_PER_SECOND: '5',
      RATE_LIMIT_FAILED_AUTH_PER_MINUTE: '8',
    });
  });
  afterAll(() => service.stop());

  const burst = (count: number, one: () => Promise<ApiResponse>): Promise<ApiResponse[]> => Promise.all(Array.from({ length: count }, one));

  it.each([
    ['live', 10],
    ['sandbox', 5],
  ])('allow a %s partner %i requests a second, and describe the limit in headers', async (mode, limit) => {
    const [partner, other] = [await makePartner(service, { mode }), await makePartner(service, { mode })];
    const responses = await until(async () => {
      const tried = await burst(limit + 3, () => partner.call('GET', '/me'));
      // A burst that spans two windows may pass the limit, so it is repeated.
      return tried.some(({ status }) => status === 429) ? tried : undefined;
    });
    expect(responses.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(limit);
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.body).toStrictEqual({ success: false, message: 'Too many requests. Retry after the time in the Retry-After header.' });
    expect(
      Object.fromEntries(
        ['retry-after', 'ratelimit-policy', 'ratelimit', 'ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'].map((name) => [
          name,
          refused?.headers.get(name),
        ]),
      ),
    ).toStrictEqual({
      'retry-after': '1',
      'ratelimit-policy': `"partner";q=${limit};w=1`,
      ratelimit: '"partner";r=0;t=1',
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': '0',
      'ratelimit-reset': '1',
    });
    expect((await other.call('GET', '/me')).headers.get('ratelimit-remaining')).toBe(String(limit - 1));
    expect((await until(async () => [await partner.call('GET', '/me')].find(({ status }) => status === 200))).status).toBe(200);
  });

  it('are checked after the key and before the body (decisions, "Checks")', async () => {
    const partner = await makePartner(service, { mode: 'sandbox', active: false });
    const responses = await until(async () => {
      const tried = await burst(9, () => partner.call('POST', '/lookup', { rupa_id: '' }));
      return tried.some(({ status }) => status === 429) ? tried : undefined;
    });
    expect(new Set(responses.map(({ status }) => status))).toStrictEqual(new Set([403, 429]));
  });

  it('limit failed authentication per address, but not requests with a valid key or token', async () => {
    const partner = await makePartner(service);
    const wrong = await burst(12, () => call(service, 'GET', '/v1/rupa/me', { headers: { 'X-API-KEY': 'wrong' } }));
    expect(wrong.filter(({ status }) => status === 401)).toHaveLength(8);
    const refused = wrong.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(4);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(1);
    expect((await call(service, 'GET', '/admin/v1/partners', { headers: { Authorization: 'Bearer wrong' } })).status).toBe(429);
    expect((await partner.call('GET', '/me')).status).toBe(200);
    expect((await admin(service, 'GET', '/partners')).status).toBe(200);
  });
});
