import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, type ApiResponse, call } from '../support/client.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

interface Entry {
  readonly entry_id: string;
  readonly at: string;
  readonly action: string;
  readonly status: number | null;
  readonly request_id: string;
}
interface Trail {
  readonly entries: readonly Entry[];
  readonly next_cursor: string | null;
}

describe('the audit trail', () => {
  let service: Application;
  let from: string;

  beforeAll(async () => {
    service = await sharedApplication();
    from = new Date().toISOString();
  });

  const asAuditor = async (method: string, path: string, body?: unknown): Promise<ApiResponse> =>
    await call(service, method, `/admin/v1${path}`, {
      headers: { Authorization: `Bearer ${service.auditorToken}` },
      ...(body === undefined ? {} : { body }),
    });
  const trail = async (query: Record<string, string>): Promise<Trail> =>
    (await asAuditor('GET', `/audit-trail?${new URLSearchParams({ from, ...query }).toString()}`)).body.data as unknown as Trail;
  const requestId = ({ headers }: ApiResponse): string => headers.get('x-request-id') ?? '';

  it('shows calls with their target and outcome to an auditor, refused ones too', async () => {
    const done = await admin(service, 'PUT', '/farmers/rp-trail', {});
    const refused = await asAuditor('PUT', '/farmers/rp-trail', {});
    expect([done.status, refused.status]).toStrictEqual([200, 403]);
    const action = 'PUT /admin/v1/farmers/:rupaId';
    await until(async () => (await trail({ action })).entries.every(({ status }) => status !== null));
    const { entries } = await trail({ action });
    const of = (response: ApiResponse): Entry | undefined => entries.find(({ request_id }) => request_id === requestId(response));
    const both = {
      entry_id: expect.any(String),
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      fingerprint: expect.stringMatching(/^[0-9a-f]{8}$/),
      action,
      target: 'rp-trail',
      address: '127.0.0.1',
      reason: null,
    };
    expect(of(done)).toStrictEqual({ ...both, actor: 'admin', role: 'admin', status: 200, request_id: requestId(done) });
    expect(of(refused)).toStrictEqual({ ...both, actor: 'auditor', role: 'auditor', status: 403, request_id: requestId(refused) });
  });

  it('is filtered by actor, by action and by time', async () => {
    await asAuditor('GET', '/price-book');
    await admin(service, 'GET', '/price-book');
    const actions = async (query: Record<string, string>): Promise<Set<string>> =>
      new Set((await trail(query)).entries.map(({ action }) => action));
    const roles = async (query: Record<string, string>): Promise<unknown> => [
      ...new Set(((await trail(query)).entries as unknown as { role: string }[]).map(({ role }) => role)),
    ];
    expect(await roles({ actor: 'auditor' })).toStrictEqual(['auditor']);
    expect(await actions({ action: 'GET /admin/v1/price-book' })).toStrictEqual(new Set(['GET /admin/v1/price-book']));
    expect(await actions({ action: '/admin/v1/price-book' })).toStrictEqual(new Set(['GET /admin/v1/price-book']));
    expect([...(await actions({ action: 'GET' }))].every((action) => action.startsWith('GET '))).toBe(true);
    expect(await actions({ actor: 'auditor', action: '/admin/v1/price-book' })).toStrictEqual(new Set(['GET /admin/v1/price-book']));
    const [{ fingerprint = '' } = {}] = (await trail({ actor: 'auditor' })).entries as unknown as { fingerprint?: string }[];
    expect(await roles({ actor: fingerprint, action: 'GET' })).toStrictEqual(['auditor']);
    expect((await trail({ action: 'GET /admin/v1/price' })).entries).toStrictEqual([]);
    expect(await trail({ actor: 'nobody' })).toStrictEqual({ entries: [], next_cursor: null, as_of_index: expect.any(Number) });
    expect((await trail({ to: '2020-01-01', from: '2019-12-31' })).entries).toStrictEqual([]);
    const today = new Date().toISOString().slice(0, 10);
    expect((await trail({ from: from.slice(0, 10), to: today })).entries.length).toBeGreaterThan(0);
  });

  it('is paged, newest first, and calls meanwhile neither repeat nor hide others', async () => {
    for (let index = 0; index < 3; index += 1) await asAuditor('GET', '/projections');
    const end = new Date().toISOString();
    const before = await trail({ to: end, limit: '200' });
    const seen: Entry[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Trail = await trail({ to: end, limit: '3', ...(cursor === '' ? {} : { cursor }) });
      seen.push(...page.entries);
      cursor = page.next_cursor;
    }
    expect(seen.map(({ entry_id }) => entry_id)).toStrictEqual(before.entries.map(({ entry_id }) => entry_id));
    expect(seen.length).toBeGreaterThanOrEqual(3);
  });

  it.each(['limit=0', 'limit=201', 'cursor=nonsense', 'from=yesterday', 'to=2026-13-01'])('refuses %s', async (query) => {
    expect((await asAuditor('GET', `/audit-trail?${query}`)).status).toBe(422);
  });
});
