import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { ERRORS } from '../../src/http/errors/error-codes.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { endWithThisProcess } from '../support/end-with-this-process.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { freePort } from '../support/starting.js';
import { until } from '../support/until.js';

/** Four processes and two stores start, on a machine that may be busy. */
const START_MS = 240_000;

const CONFIG = 'ops/haproxy/haproxy.cfg';
const PARTNERS = 12;

describe('the balancer of docker-compose.yml', () => {
  const apis: TestService[] = [];
  const ports: number[] = [];
  let stores: SharedStores;
  let proxy: ChildProcess | undefined;
  let log = '';
  let base: string;
  let administrators: string;
  let partners: TestPartner[];
  let homes: Map<string, string>;

  const names = (): string[] => [...log.matchAll(/\] apis\/(\S+) \d/g)].map(([, name = '']) => name);
  /** Sends a request through the balancer, and returns the status and the API that served it. */
  const send = async (headers: Record<string, string>, from = '127.0.0.1'): Promise<{ status: number; api: string }> => {
    const before = names().length;
    const sent = request(`${base}/v1/rupa/me`, { headers, localAddress: from }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    await once(response, 'end');
    await until(() => names().length > before);
    return { status: response.statusCode ?? 0, api: names()[before] ?? '' };
  };
  const home = async ({ key }: TestPartner): Promise<string> => {
    const { status, api } = await send({ 'X-API-KEY': key });
    expect(status).toBe(200);
    return api;
  };
  const start = async (port: number): Promise<TestService> =>
    await stores.start('api,console', {
      PORT: String(port),
      TRUSTED_PROXIES: '127.0.0.1',
      RATE_LIMIT_FAILED_AUTH_PER_MINUTE: '3',
      SHUTDOWN_GRACE_MS: '5000',
    });
  const serving = async (count: number): Promise<void> => {
    const seen = new Set<string>();
    await until(async () => {
      const { status, api } = await send({});
      if (status === 401 || status === 429) seen.add(api);
      return seen.size === count && !seen.has('<NOSRV>');
    });
  };
  /** Waits until each partner is served by the API that served it first. */
  const backHome = async (): Promise<void> => {
    await until(async () => {
      const now = new Map<string, string>();
      for (const partner of partners) now.set(partner.key, await home(partner));
      return [...homes].every(([key, api]) => now.get(key) === api);
    });
  };

  beforeAll(async () => {
    stores = await startSharedStores();
    await stores.start('projector,webhooks');
    ports.push(await freePort(), await freePort());
    for (const port of ports) apis.push(await start(port));
    const [bind, ownBind, health] = [await freePort(), await freePort(), await freePort()];
    base = `http://127.0.0.1:${bind}`;
    administrators = `http://127.0.0.1:${ownBind}`;
    const [one = 0, other = 0] = ports;
    const binds = { BALANCER_BIND: `127.0.0.1:${bind}`, BALANCER_ADMIN_BIND: `127.0.0.1:${ownBind}` };
    const env = { ...binds, API_1: `127.0.0.1:${one}`, API_2: `127.0.0.1:${other}`, HEALTH_PORT: String(health) };
    const started = spawn('haproxy', ['-W', '-db', '-f', CONFIG], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    proxy = started;
    endWithThisProcess(started);
    for (const stream of [started.stdout, started.stderr]) stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
    await until(async () => (await fetch(`http://127.0.0.1:${health}/health`).catch(() => undefined))?.status === 200);
    await serving(2);
    const [api] = apis as [TestService];
    partners = await Promise.all(Array.from({ length: PARTNERS }, () => makePartner(api, { mode: 'sandbox' })));
  }, START_MS);
  afterAll(async () => {
    proxy?.kill('SIGKILL');
    await stores.close();
  });

  it('sends every request of a partner to one API, whichever of its keys it carries, and uses both APIs', async () => {
    homes = new Map();
    for (const partner of partners) homes.set(partner.key, await home(partner));
    for (const partner of [...partners, ...partners]) expect(await home(partner)).toBe(homes.get(partner.key));
    for (const partner of partners) {
      const { api_key } = (await admin(apis[0] as TestService, 'POST', `/partners/${partner.partner_id}/api-keys`, {})).body.data;
      expect(await home({ ...partner, key: api_key as string })).toBe(homes.get(partner.key));
    }
    expect(new Set(homes.values())).toStrictEqual(new Set(['api-1', 'api-2']));
  });

  it('spreads requests without a key over the APIs', async () => {
    const seen = [];
    for (let count = 0; count < 40; count += 1) seen.push((await send({})).api);
    for (const api of ['api-1', 'api-2']) expect(seen.filter((each) => each === api).length).toBeGreaterThan(5);
  });

  /** Sends a path as it is written, with the administrator's token, and returns the status and the body. */
  const asAdministrator = async (at: string, path: string): Promise<{ status: number; body: string }> => {
    const { hostname, port } = new URL(at);
    const headers = { Authorization: `Bearer ${(apis[0] as TestService).adminToken}` };
    const sent = request({ hostname, port, path, headers }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { status: response.statusCode ?? 0, body: await text(response) };
  };

  it.each([
    '/',
    '/docs',
    '/docs/guides',
    '/docs-json',
    '/llms.txt',
    '/health',
    '/health/ready',
    '/log/tile/0/000',
    '/.well-known/rupa-checkpoint-key',
  ])('lets everybody through to %s', async (path) => {
    const { status, body } = await asAdministrator(base, path);
    expect([status < 400 || body.includes('checkpoint_not_found'), body.includes('route_not_found')]).toStrictEqual([true, false]);
  });

  it.each([
    '/admin/v1/partners',
    '/%61dmin/v1/partners',
    '/%2561dmin/v1/partners',
    '/admin%2fv1/partners',
    '//admin/v1/partners',
    '/./admin/v1/partners',
    '/v1/rupa/../../admin/v1/partners',
    '/v1/rupa/%2e%2e/%2e%2e/admin/v1/partners',
    '/v1/rupa/..%2f..%2fadmin/v1/partners',
    '/console',
    '/c%6fnsole/login',
    '/metrics',
  ])('lets nobody through to %s where partners come in', async (path) => {
    const { status, body } = await asAdministrator(base, path);
    expect([status, JSON.parse(body)]).toMatchObject([404, { success: false, code: 'route_not_found' }]);
  });

  it('lets administrators and the console in at an address of their own', async () => {
    expect(await asAdministrator(administrators, '/admin/v1/partners')).toMatchObject({ status: 200 });
    expect((await asAdministrator(administrators, '/console')).status).toBeLessThan(400);
  });

  it('tells the APIs the address of the connection, and not one that a caller claims', async () => {
    const wrong = (forged: number): Record<string, string> => ({ 'X-API-KEY': 'nobody', 'X-Forwarded-For': `203.0.113.${forged}` });
    const limited = await until(async () => {
      const { status } = await send(wrong(Math.ceil(Math.random() * 250)), '127.0.0.2');
      return status === 429;
    });
    expect(limited).toBe(true);
    // Another address has not failed yet, whatever it claims.
    expect((await send({ ...wrong(1), 'X-Forwarded-For': '127.0.0.2' }, '127.0.0.3')).status).toBe(401);
  });

  it(
    'moves only the partners of an API that is killed, without an error, and back again when it returns',
    async () => {
      await apis[0]?.kill();
      for (const partner of partners) expect(await home(partner)).toBe('api-2');
      apis[0] = await start(ports[0] ?? 0);
      await backHome();
      expect(new Set(homes.values()).size).toBe(2);
    },
    START_MS,
  );

  it('moves the partners of an API that hangs, and serves each again within its probes', async () => {
    const [api] = apis as [TestService];
    const moved = partners.filter(({ key }) => homes.get(key) === 'api-1');
    api.pause();
    const began = performance.now();
    const served = await Promise.all(
      moved.map(async ({ key }) => {
        await until(async () => {
          const signal = AbortSignal.timeout(500);
          return (await fetch(`${base}/v1/rupa/me`, { headers: { 'X-API-KEY': key }, signal }).catch(() => undefined))?.status === 200;
        });
        return performance.now() - began;
      }),
    ).finally(() => {
      api.resume();
    });
    if (process.env.WHAT_BREAKS)
      appendFileSync(
        process.env.WHAT_BREAKS,
        `| one API hangs: the last partner is served after | ${Math.max(...served).toFixed(0)} ms |\n`,
      );
    await backHome();
  });

  it('loses no request while an API stops', async () => {
    const seen: string[] = [];
    const state = { code: undefined as number | null | undefined };
    const ended = apis[1]?.interrupt('SIGTERM').then((code) => (state.code = code));
    do for (const partner of partners) seen.push(await home(partner));
    while (state.code === undefined);
    await ended;
    expect([state.code, seen.at(-1)]).toStrictEqual([0, 'api-1']);
    for (const partner of partners) expect(await home(partner)).toBe('api-1');
  });

  it('responds in the envelope of the API while none of them serves', async () => {
    await apis[0]?.kill();
    const response = await until(async () => {
      // The balancer may close an idle connection as it is used.
      const found = await fetch(`${base}/v1/rupa/me`).catch(() => undefined);
      return found?.status === 503 && found;
    });
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
    expect(await response.json()).toStrictEqual({ success: false, message: ERRORS.unavailable.message, code: 'unavailable' });
  });
});
