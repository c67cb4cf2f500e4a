import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, call, makePartner } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const LIMIT = 8;

describe('rate limits', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startApplication({
      RATE_LIMIT_LIVE_PER_SECOND: '10',
      RATE_LIMIT_SANDBOX_PER_SECOND: '5',
      RATE_LIMIT_FAILED_AUTH_PER_MINUTE: String(LIMIT),
      TRUSTED_PROXIES: '127.0.0.1',
    });
  });
  afterAll(() => service.stop());

  const burst = (count: number, one: () => Promise<ApiResponse>): Promise<ApiResponse[]> => Promise.all(Array.from({ length: count }, one));

  it.each([
    ['live', 10],
    ['sandbox', 5],
  ])('allow a %s partner %i requests a second, and describe the limit in headers', async (mode, limit) => {
    const other = await makePartner(service, { mode });
    const { partner, responses } = await until(async () => {
      const tried = await makePartner(service, { mode });
      const startedAt = performance.now();
      const responses = await burst(limit + 3, () => tried.call('GET', '/me'));
      // A partner's first call begins a window. A burst that lasts longer spans two of them, so another partner's burst is sent.
      return performance.now() - startedAt < 1_000 ? { partner: tried, responses } : undefined;
    });
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(limit);
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.body).toStrictEqual({
      success: false,
      message: 'Too many requests. Retry after the time in the Retry-After header.',
      code: 'rate_limited',
      doc_url: expect.stringMatching(/#rate_limited$/),
    });
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
    // A burst may fall into two windows, of which the next burst then finds the second one used up.
    const statuses = await until(async () => {
      const tried = await burst(9, () => partner.call('POST', '/lookup', { rupa_id: '' }));
      const found = new Set(tried.map(({ status }) => status));
      return found.size > 1 && found;
    });
    expect(statuses).toStrictEqual(new Set([403, 429]));
  });

  describe('of failed authentication', () => {
    const from = (address: string, headers: Record<string, string>): Promise<ApiResponse> =>
      call(service, 'GET', '/v1/rupa/me', { headers: { 'X-Forwarded-For': address, ...headers } });
    const administers = (address: string, token: string): Promise<ApiResponse> =>
      call(service, 'GET', '/admin/v1/partners', { headers: { 'X-Forwarded-For': address, Authorization: `Bearer ${token}` } });
    const signsIn = (address: string, token: string): Promise<Response> =>
      fetch(`${service.url}/console/sign-in`, {
        method: 'POST',
        headers: { 'X-Forwarded-For': address },
        body: new URLSearchParams({ token }),
        redirect: 'manual',
      });
    const statuses = (responses: readonly ApiResponse[]): number[] => responses.map(({ status }) => status).sort();
    /** Calls with wrong keys until the limit of the address is reached. */
    const guess = async (address: string): Promise<void> => {
      for (let guessed = 0; guessed < LIMIT; guessed += 1)
        expect((await from(address, { 'X-API-KEY': `wrong${guessed}` })).status).toBe(401);
    };

    it('turn a 401 beyond the limit of the address into a 429, and refuse no right key or token', async () => {
      const address = '198.51.100.1';
      const partner = await makePartner(service);
      await guess(address);
      const refused = await from(address, { 'X-API-KEY': 'wrong' });
      expect(refused.status).toBe(429);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1);
      expect(refused.headers.get('www-authenticate')).toBeNull();
      expect((await from(address, {})).status).toBe(429);
      expect((await administers(address, 'wrong')).status).toBe(429);
      expect((await signsIn(address, 'wrong')).status).toBe(429);
      expect((await from(address, { 'X-API-KEY': partner.key })).status).toBe(200);
      expect((await administers(address, service.adminToken)).status).toBe(200);
      expect((await signsIn(address, service.adminToken)).status).toBe(303);
      expect((await from('198.51.100.2', { 'X-API-KEY': 'wrong' })).status).toBe(401);
    });

    it('hold for simultaneous guesses, and spare the right key among them', async () => {
      const address = '198.51.100.3';
      const right = await makePartner(service);
      const keys = [...Array.from({ length: 3 * LIMIT }, (_, index) => `rupa_key_${String(index).padStart(43, 'a')}`), right.key];
      const responses = await Promise.all(keys.map((key) => from(address, { 'X-API-KEY': key })));
      expect(responses.at(-1)?.status).toBe(200);
      expect(statuses(responses).filter((status) => status === 401)).toHaveLength(LIMIT);
      expect(statuses(responses).filter((status) => status === 429)).toHaveLength(2 * LIMIT);
    });

    it('count no right key that is not linked or is sent from an address that is not on the allow-list', async () => {
      const address = '198.51.100.5';
      const { api_key: unlinked } = (await admin(service, 'POST', '/api-keys', {})).body.data as { api_key: string };
      const far = await makePartner(service);
      await admin(service, 'PUT', `/partners/${far.partner_id}/ip-allow-list`, { cidrs: ['203.0.113.0/24'] });
      for (const key of [unlinked, far.key]) {
        const responses = await burst(LIMIT + 2, () => from(address, { 'X-API-KEY': key }));
        expect(new Set(statuses(responses))).toStrictEqual(new Set([403]));
      }
      await guess(address);
      for (const key of [unlinked, far.key]) expect((await from(address, { 'X-API-KEY': key })).status).toBe(403);
    });

    it('count requests with a body that cannot be read', async () => {
      const headers = { 'X-Forwarded-For': '198.51.100.7' };
      const responses = await burst(LIMIT + 2, () => call(service, 'POST', '/v1/rupa/report', { headers, body: '{' }));
      expect(statuses(responses)).toStrictEqual([...Array.from({ length: LIMIT }, () => 401), 429, 429]);
    });

    it.each([
      ['198.51.100.8', ['198.51.100.8:49152', '::ffff:198.51.100.8', '::ffff:c633:6408', '[::ffff:198.51.100.8]:80']],
      ['2001:db8:1:2::7', ['2001:db8:1:2::8', '2001:DB8:1:2:ffff::1', '[2001:db8:1:2::9]:443', '[2001:db8:1:2::a]']],
    ])('count %s as one address in every spelling', async (address, spellings) => {
      await guess(address);
      for (const spelling of spellings)
        expect([spelling, (await from(spelling, { 'X-API-KEY': 'wrong' })).status]).toStrictEqual([spelling, 429]);
    });
  });

  it('see through a proxy that writes the ports of proxies before it', async () => {
    const partner = await makePartner(service);
    await admin(service, 'PUT', `/partners/${partner.partner_id}/ip-allow-list`, { cidrs: ['203.0.113.0/24'] });
    for (const forwarded of ['203.0.113.9:1234', '203.0.113.9:1234, 127.0.0.1:5678', '203.0.113.9, [::ffff:127.0.0.1]:80'])
      expect((await partner.call('GET', '/me', undefined, { 'X-Forwarded-For': forwarded })).status).toBe(200);
  });
});
