import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { projections } from '../../projections/index.js';
import { FEATURES } from '../../src/app/app.module.js';
import { createPool } from '../../src/platform/database/pool.js';
import { tablesOf } from '../../src/platform/projecting/projection.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { readDocument } from '../support/document.js';
import { declaredReads } from '../support/declared-reads.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { until } from '../support/until.js';

interface Call {
  readonly route: string;
  readonly query?: string;
  readonly body?: object;
}

/** The caller of a partner's route is known by these, from memory as a rule. */
const OF_PARTNERS = ['api_key', 'partner'];
/** Read models of parts of a call that is not made here: a balance as of a time; prices whose history is missing. */
const SELDOM: Readonly<Record<string, readonly string[]>> = {
  'GET /admin/v1/partners/{id}/wallet': ['wallet_entry'],
  'POST /v1/rupa/lookup': ['price_book'],
};
const NO_FARMER = 'rp-nobody';
const GETS = Object.entries(readDocument().paths).flatMap(([path, operations]) => ('get' in operations ? [`GET ${path}`] : []));

describe('the read models that a route needs', () => {
  let stores: SharedStores;
  let api: TestService;
  let pool: Pool;
  let partner: TestPartner;
  let calls: readonly Call[];
  const rupaId = `rp-${randomUUID()}`;
  const ids: Record<string, string> = { rupaId, number: '1', path: '0/000.p/1', jobId: '1', month: new Date().toISOString().slice(0, 7) };
  /** The user of the API in the database. */
  const user = `api_${randomUUID().replaceAll('-', '')}`;

  beforeAll(async () => {
    stores = await startSharedStores();
    await stores.start('projector');
    pool = createPool(stores.databaseUrl, 2, () => undefined);
    api = await stores.start('api', { WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true', DATABASE_URL: await createUser() });
    partner = await makePartner(api);
    await admin(api, 'PUT', `/farmers/${rupaId}`, { identity: { first_name: 'Aisha' } });
    expect((await partner.lookup(rupaId)).status).toBe(200);
    const report = { rupa_id: rupaId, event: 'loan_disbursed', amount: 5, occurred_at: '2026-01-01T00:00:00Z' };
    expect((await partner.call('POST', '/report', report)).status).toBe(200);
    ids.id = String((await partner.call('POST', '/webhooks', { url: 'https://example.com/hook' })).body.data.id);
    const [charged] = (await partner.call('GET', '/lookups?limit=1')).body.data.lookups as { lookup_id: string }[];
    ids.lookupId = charged?.lookup_id ?? '';
    expect((await admin(api, 'POST', '/checkpoints')).status).toBe(201);
    expect((await admin(api, 'POST', '/projections/partner/verify')).status).toBe(202);
    await until(async () => (await admin(api, 'GET', '/projections/jobs/1')).body.data.state === 'done');
    calls = [
      ...GETS.map((route) => ({ route, query: route === 'GET /admin/v1/lookups' ? `?rupa_id=${rupaId}` : '' })),
      { route: 'POST /v1/rupa/lookup', body: { rupa_id: rupaId, sections: ['identity'] } },
      { route: 'POST /v1/rupa/report', body: report },
      { route: 'DELETE /v1/rupa/consents/{rupaId}' },
    ];
  });
  afterAll(async () => {
    await pool.query(`drop owned by ${user}; drop role ${user}`);
    await pool.end();
    await stores.close();
  });

  /** Creates a user who may do everything at first, and returns the URL of the database with it. */
  async function createUser(): Promise<string> {
    const url = new URL(stores.databaseUrl);
    await pool.query(`create role ${user} login password 'any'; grant all on database ${url.pathname.slice(1)} to ${user}`);
    const { rows } = await pool.query<{ name: string }>("select nspname as name from pg_namespace where nspname !~ '^pg_|^information'");
    for (const { name } of rows)
      await pool.query(
        `grant all on schema ${name} to ${user}; grant all on all tables in schema ${name} to ${user}; grant all on all sequences in schema ${name} to ${user}`,
      );
    [url.username, url.password] = [user, 'any'];
    return url.href;
  }

  async function isServed({ route, query = '', body }: Call): Promise<boolean> {
    const [method = '', template = ''] = route.split(' ');
    const path = template
      .replace(/(partners\/)\{id\}/, `$1${partner.partner_id}`)
      .replaceAll(/\{(\w+)\}/g, (_, name: string) => (method === 'DELETE' ? NO_FARMER : (ids[name] ?? '')));
    const response = await fetch(`${api.url}${path}${query}`, {
      method,
      headers: { 'X-API-KEY': partner.key, Authorization: `Bearer ${api.adminToken}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    await response.arrayBuffer();
    return response.status < 500;
  }

  it('are those that it declares: it fails if the database refuses one of them, and goes on if it refuses another', async () => {
    for (const call of calls) expect([call.route, await isServed(call)]).toStrictEqual([call.route, true]);
    const needed = new Map<string, Set<string>>(calls.map(({ route }) => [route, new Set()]));
    for (const projection of projections)
      for (const { name: table } of tablesOf([projection])) {
        await pool.query(`revoke select on read.${table} from ${user}`);
        for (const call of calls) if (!(await isServed(call))) needed.get(call.route)?.add(projection.name);
        await pool.query(`grant select on read.${table} to ${user}`);
      }
    const declared = declaredReads(FEATURES);
    const withoutCaches = (route: string, models: readonly string[]): string[] =>
      models.filter((model) => !(route.includes(' /v1/rupa/') && OF_PARTNERS.includes(model))).sort();
    const found = calls.map(({ route }) => [route, withoutCaches(route, [...(needed.get(route) ?? []), ...(SELDOM[route] ?? [])])]);
    expect(Object.fromEntries(found)).toStrictEqual(
      Object.fromEntries(calls.map(({ route }) => [route, withoutCaches(route, declared.get(route) ?? [])])),
    );
  });

  it('exist', () => {
    const names = projections.map(({ name }) => name);
    for (const models of declaredReads(FEATURES).values()) expect(names).toStrictEqual(expect.arrayContaining([...models]));
  });
});
