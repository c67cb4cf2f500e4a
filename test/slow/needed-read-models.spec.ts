import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { projections } from '../../projections/index.js';
import { FEATURES } from '../../src/app/app.module.js';
import { tablesOf } from '../../src/platform/projecting/projection.js';
import { admin } from '../support/client.js';
import { dropRole, testPool } from '../support/database.js';
import { declaredReads } from '../support/declared-reads.js';
import { MAINTENANCE, OPERATIONS, type RouteCall, routeCalls } from '../support/route-calls.js';
import { makeRouteWorld } from '../support/route-world.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { until } from '../support/until.js';

/** The caller of a partner's route is known by these, from memory as a rule. */
const OF_PARTNERS = ['api_key', 'partner'];
/** Read models of parts of a call that is not made here: a journal by day, prices whose history is missing, a delivery about a farmer. */
const SELDOM: Readonly<Record<string, readonly string[]>> = {
  'GET /admin/v1/ledger/journal': ['ledger_day'],
  'POST /v1/rupa/lookup': ['price_book'],
  'POST /v1/rupa/lookups': ['price_book'],
  'GET /v1/rupa/webhooks/{id}/deliveries/{deliveryId}': ['consent_roster', 'erased_farmer'],
};
/**
 * The status of calls that are rejected before they read. A table that was rebuilt would have none of the rights that this test gives. No
 * call waits for approval here, and the call that is approved says itself which read models it lacks.
 */
const REJECTED: Readonly<Record<string, number>> = {
  'POST /admin/v1/projections/{name}/rebuild': 404,
  'POST /admin/v1/approvals/{id}/approve': 404,
  'POST /admin/v1/approvals/{id}/reject': 404,
};
/** Calls at once: while some wait for read models, others are served. */
const AT_ONCE = 4;

interface Response {
  readonly route: string;
  readonly status: number;
  readonly text: string;
}

function isFailure(response: Response): boolean {
  return response.status >= 400 && response.status !== REJECTED[response.route] && !isDeleted(response);
}

/** A deletion that is recorded has read what it needs, and would find nothing if it was sent again once the read models show it. */
function isDeleted({ route, text }: Response): boolean {
  return route.startsWith('DELETE ') && /The (change|erasure) is recorded/.test(text);
}

describe('the read models that a route needs', () => {
  let stores: SharedStores;
  let api: TestService;
  let pool: Pool;
  /** The user of the API in the database. */
  const user = `api_${randomUUID().replaceAll('-', '')}`;

  beforeAll(async () => {
    stores = await startSharedStores();
    await stores.start('projector');
    pool = testPool(stores.databaseUrl, 2);
    api = await stores.start('api', { WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true', DATABASE_URL: await createUser() }, { repeats: true });
    expect((await admin(api, 'POST', '/projections/partner/verify')).status).toBe(202);
    await until(async () => (await admin(api, 'GET', '/projections/jobs/1')).body.data.state === 'done');
  });
  afterAll(async () => {
    await pool.end();
    await stores.close();
    await dropRole(user);
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

  /** Sends a call, again while a read model only lags, and once more after a 5xx: a store that is slow for a moment looks like one that refuses. */
  async function send({ route, method, path, key, body, file }: RouteCall): Promise<Response> {
    for (let failures = 0; ;) {
      const sent = await fetch(`${api.url}${path}`, {
        method,
        headers: {
          'X-API-KEY': key,
          Authorization: `Bearer ${api.adminToken}`,
          ...(body && { 'Content-Type': 'application/json' }),
          ...(file && { 'Content-Type': 'text/csv' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        ...(file && { body: file }),
      });
      const response = { route, status: sent.status, text: await sent.text() };
      const isBehind = response.status === 503 && response.text.includes('"read_model"');
      if (isDeleted(response) || (!isBehind && (response.status < 500 || failures > 0))) return response;
      if (!isBehind) failures += 1;
    }
  }

  /** Makes all calls, some of them at once, and those of maintenance last. */
  async function sendAll(calls: readonly RouteCall[]): Promise<readonly Response[]> {
    const responses: Response[] = [];
    const waiting = calls.filter(({ route }) => !MAINTENANCE.includes(route));
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) responses.push(await send(next));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    for (const route of MAINTENANCE) for (const call of calls) if (call.route === route) responses.push(await send(call));
    return responses;
  }

  it('are looked for in calls of every operation of the OpenAPI document, which are served while the database refuses none', async () => {
    const calls = routeCalls(await makeRouteWorld(api));
    expect([...new Set(calls.map(({ route }) => route))].sort()).toStrictEqual([...OPERATIONS].sort());
    expect((await sendAll(calls)).filter(isFailure)).toStrictEqual([]);
  });

  it('are those that it declares: it fails if the database refuses one of them, and goes on if it refuses another', async () => {
    const needed = new Map<string, Set<string>>(OPERATIONS.map((route) => [route, new Set()]));
    for (const projection of projections)
      for (const { name: table } of tablesOf([projection])) {
        const calls = routeCalls(await makeRouteWorld(api));
        await pool.query(`revoke select on read.${table} from ${user}`);
        const failed = (await sendAll(calls)).filter(isFailure);
        await pool.query(`grant select on read.${table} to ${user}`);
        expect([table, failed.filter(({ status }) => status < 500)]).toStrictEqual([table, []]);
        for (const { route } of failed) needed.get(route)?.add(projection.name);
      }
    const declared = declaredReads(FEATURES);
    const withoutCaches = (route: string, models: readonly string[]): string[] =>
      models.filter((model) => !(route.includes(' /v1/rupa/') && OF_PARTNERS.includes(model))).sort();
    const found = OPERATIONS.map((route) => [route, withoutCaches(route, [...(needed.get(route) ?? []), ...(SELDOM[route] ?? [])])]);
    expect(Object.fromEntries(found)).toStrictEqual(
      Object.fromEntries(OPERATIONS.map((route) => [route, withoutCaches(route, declared.get(route) ?? [])])),
    );
  });

  it('exist', () => {
    const names = projections.map(({ name }) => name);
    for (const models of declaredReads(FEATURES).values()) expect(names).toStrictEqual(expect.arrayContaining([...models]));
  });

  it('are declared by no route that the document lacks', () => {
    const declaring = [...declaredReads(FEATURES)].filter(([, models]) => models.length > 0).map(([route]) => route);
    expect(declaring.filter((route) => !OPERATIONS.includes(route))).toStrictEqual([]);
  });
});
