import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as openRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { startApplication } from '../support/application.js';
import { admin, balanceOf, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { documentedPath, expectDocumented } from '../support/contract.js';
import { readDocument } from '../support/document.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

type Headers = Readonly<Record<string, string>>;

interface Sent {
  readonly status: number;
  readonly message: string | undefined;
}

/** Node's client frames no body of a GET or DELETE unless it is told to. */
const CHUNKED = { 'Transfer-Encoding': 'chunked' };
const JSON_TYPE = { 'Content-Type': 'application/json' };
const CHUNKED_JSON = { ...JSON_TYPE, ...CHUNKED };
const PER_SECOND = 3;
/** A service that waits for the body of each attempt responds 408 to all of them. */
const ATTEMPTS = 3;
const LARGE = JSON.stringify({ rupa_id: 'a'.repeat(70_000) });
const LARGE_LIST = JSON.stringify({ rupa_id: 'a'.repeat(1_100_000) });

/** Bodies that cannot be read, each with its status. The last two never end, so only a response that does not wait for the body arrives. */
const KINDS: readonly { readonly name: string; readonly status: number | undefined; readonly headers: Headers; readonly body: string }[] = [
  { name: 'broken JSON', status: 400, headers: CHUNKED_JSON, body: '{"rupa_id":' },
  { name: 'a large body', status: 413, headers: { ...JSON_TYPE, 'Content-Length': String(LARGE.length) }, body: LARGE },
  { name: 'a large body in chunks', status: 413, headers: CHUNKED_JSON, body: LARGE },
  { name: 'a form', status: 415, headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...CHUNKED }, body: 'rupa_id=1' },
  { name: 'an invalid content type', status: 415, headers: { 'Content-Type': 'nonsense', ...CHUNKED }, body: '{}' },
  { name: 'a body without a type', status: 415, headers: CHUNKED, body: '{}' },
  { name: 'a body that stops', status: undefined, headers: { ...JSON_TYPE, 'Content-Length': '100' }, body: '{' },
  { name: 'chunks that stop', status: undefined, headers: CHUNKED_JSON, body: '{' },
];

const routes = Object.entries(readDocument().paths as unknown as Record<string, Record<string, object>>)
  .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })))
  .filter(({ method }) => method !== 'HEAD');
/** Routes that take bodies up to 1 MiB. */
const LIST_ROUTES = ['/v1/rupa/lookups', '/v1/rupa/reports'];
/** Routes whose body is a file, with one of its types. */
const FILE_ROUTES = ['/admin/v1/ledger/reconciliations'];
/** Routes that change nothing, which auditors may call although they are no GET. */
const AUDITORS_POSTS = [...FILE_ROUTES, '/admin/v1/projections/{name}/verify'];
const SANDBOX_ROUTES = '/v1/rupa/sandbox/';
const partnerRoutes = routes.filter(({ path }) => path.startsWith('/v1/rupa/'));
const adminRoutes = routes.filter(({ path }) => path.startsWith('/admin/'));

describe('a body that cannot be read', () => {
  let service: TestService;
  let active: TestPartner;
  let pending: TestPartner;
  let limited: TestPartner;
  let playing: TestPartner;
  let far: TestPartner;
  let unlinked: string;
  const agent = new Agent({ keepAlive: true });

  beforeAll(async () => {
    service = await startApplication({ RATE_LIMIT_SANDBOX_PER_SECOND: String(PER_SECOND), REQUEST_TIMEOUT_MS: '5000' });
    active = await makePartner(service);
    pending = await makePartner(service, { active: false });
    limited = await makePartner(service, { mode: 'sandbox' });
    playing = await makePartner(service, { mode: 'sandbox' });
    far = await makePartner(service);
    await admin(service, 'PUT', `/partners/${far.partner_id}/ip-allow-list`, { cidrs: ['203.0.113.0/24'] });
    unlinked = (await admin(service, 'POST', '/api-keys', {})).body.data.api_key as string;
    await admin(service, 'PUT', '/farmers/rp-1', {});
  });
  afterAll(async () => {
    agent.destroy();
    await service.stop();
  });

  /** Sends a request and returns its response, which may arrive before the body is sent. */
  async function send(method: string, template: string, kind: (typeof KINDS)[number], credentials: Headers): Promise<Sent> {
    const path = template.replaceAll(/\{\w+\}/g, '1');
    const body = kind.body === LARGE && LIST_ROUTES.includes(template) ? LARGE_LIST : kind.body;
    const length = 'Content-Length' in kind.headers && kind.body === LARGE ? { 'Content-Length': String(body.length) } : {};
    const request = openRequest(`${service.url}${path}`, { method, agent, headers: { ...credentials, ...kind.headers, ...length } });
    // The service may close the connection of a large body while it is sent.
    request.on('error', () => undefined);
    request.write(body);
    if (kind.status !== undefined) request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const received = await text(response);
    // Only an export, which a call gets that the limit still allows, has another form.
    const isJson = response.headers['content-type']?.startsWith('application/json') === true;
    const said: { message?: string } = isJson ? (JSON.parse(received) as { message?: string }) : {};
    request.destroy();
    const status = response.statusCode ?? 0;
    // Node responds 408 when the body does not arrive in time.
    if (status !== 408 && isJson && documentedPath(method, path))
      expectDocumented(method, path, status, new Headers(response.headers as Record<string, string>), said);
    return { status, message: said.message };
  }

  /** Sends a request, again if its body was late: to a service that was paused meanwhile, also a body that it need not wait for is. */
  async function sendInTime(...request: Parameters<typeof send>): Promise<Sent> {
    for (let attempt = 1; ; attempt += 1) {
      const sent = await send(...request);
      if (sent.status !== 408 || attempt === ATTEMPTS) return sent;
    }
  }

  const forEachKind = async (attempt: (kind: (typeof KINDS)[number]) => Promise<void>): Promise<void> => {
    await Promise.all(KINDS.map(attempt));
  };
  const byRoute = (all: typeof routes): [string, string][] => all.map(({ method, path }) => [method, path]);
  const readsBody = (method: string): boolean => method !== 'GET';

  it('covers every route with credentials', () => {
    expect(partnerRoutes.length).toBeGreaterThan(10);
    expect(adminRoutes.length).toBeGreaterThan(10);
  });

  it.each(byRoute(partnerRoutes))('is not read on %s %s before the key, the address and the partner are checked', async (method, path) => {
    const refusals: [credentials: Headers, status: number, message: string][] = [
      [{}, 401, 'API key is required in the X-API-KEY header.'],
      [{ 'X-API-KEY': 'wrong' }, 401, 'The provided API key is invalid or has been deactivated.'],
      [{ 'X-API-KEY': `rupa_key_${'a'.repeat(43)}` }, 401, 'The provided API key is invalid or has been deactivated.'],
      [{ 'X-API-KEY': unlinked }, 403, 'This API key is not linked to a Rupa partner account.'],
      [{ 'X-API-KEY': far.key }, 403, 'This partner account is not permitted from your IP address.'],
    ];
    if (path.startsWith(SANDBOX_ROUTES))
      refusals.push([{ 'X-API-KEY': active.key }, 403, 'This call works with the key of a sandbox account only.']);
    if (path === '/v1/rupa/lookup')
      refusals.push([{ 'X-API-KEY': pending.key }, 403, 'Your partner account is pending. Contact the provider to activate API access.']);
    await forEachKind(async (kind) => {
      for (const [credentials, status, message] of refusals)
        expect([kind.name, await sendInTime(method, path, kind, credentials)]).toStrictEqual([kind.name, { status, message }]);
    });
  });

  it.each(byRoute(partnerRoutes))('is not read on %s %s beyond the rate limit', async (method, path) => {
    for (const kind of KINDS) {
      await until(async () => {
        // All at once, because a busy service may respond to fewer calls a second than the limit has if they come one after the other.
        await Promise.all(Array.from({ length: PER_SECOND }, () => limited.call('GET', '/me')));
        const { status } = await send(method, path, kind, { 'X-API-KEY': limited.key });
        // A new window of the limit may begin after the first call.
        if (status !== 429 && readsBody(method)) expect(status).toBe(kind.status ?? 408);
        return status === 429;
      });
    }
  });

  it.each(byRoute(adminRoutes))('is not read on %s %s before the token and its role are checked', async (method, path) => {
    const required = 'A valid token is required: send Authorization: Bearer <token>.';
    const auditor = { Authorization: `Bearer ${service.auditorToken}` };
    const refusals: [credentials: Headers, status: number, message: string][] = [
      [{}, 401, required],
      [{ Authorization: 'Bearer wrong' }, 401, required],
    ];
    if (method !== 'GET' && !AUDITORS_POSTS.includes(path)) refusals.push([auditor, 403, 'This token may only read.']);
    await forEachKind(async (kind) => {
      for (const [credentials, status, message] of refusals)
        expect([kind.name, await sendInTime(method, path, kind, credentials)]).toStrictEqual([kind.name, { status, message }]);
    });
  });

  it.each(byRoute([...partnerRoutes, ...adminRoutes].filter(({ method }) => readsBody(method))))(
    'is refused on %s %s for what is wrong with it once the caller is admitted',
    async (method, path) => {
      const key = path.startsWith(SANDBOX_ROUTES) ? playing.key : active.key;
      const credentials: Headers = { 'X-API-KEY': key, Authorization: `Bearer ${service.adminToken}` };
      await forEachKind(async (kind) => {
        if (kind.status === undefined) return;
        const status = await until(async () => {
          const sent = await sendInTime(method, path, kind, credentials);
          // Accounts of the sandbox may make few requests per second here.
          return sent.status !== 429 && sent.status;
        });
        // A route that takes a file refuses JSON by its type, before its size and its text.
        expect([kind.name, status]).toStrictEqual([kind.name, FILE_ROUTES.includes(path) ? 415 : kind.status]);
      });
    },
  );

  it.each(['/v1/rupa/nope', '/admin/v1/nope', '/nope', '/v1/rupa/lookup/1'])('is not read on the unknown path %s', async (path) => {
    await forEachKind(async (kind) => {
      for (const method of ['POST', 'PUT', 'DELETE', 'PATCH'])
        expect([kind.name, (await sendInTime(method, path, kind, {})).status]).toStrictEqual([kind.name, 404]);
    });
  });

  it('does not let a key that is deactivated while the body arrives charge a lookup', async () => {
    const body = JSON.stringify({ rupa_id: 'rp-1', sections: ['identity'] });
    const before = await balanceOf(service, active);
    const status = await until(async () => {
      const { api_key, key_id } = (await admin(service, 'POST', `/partners/${active.partner_id}/api-keys`, {})).body.data as {
        api_key: string;
        key_id: string;
      };
      await partnerWith(service, active.partner_id, api_key).call('GET', '/me');
      const request = openRequest(`${service.url}/v1/rupa/lookup`, {
        method: 'POST',
        headers: { ...JSON_TYPE, 'X-API-KEY': api_key, 'Content-Length': body.length, Expect: '100-continue' },
      });
      request.on('error', () => undefined);
      const responded = once(request, 'response') as Promise<[IncomingMessage]>;
      responded.catch(() => undefined);
      request.flushHeaders();
      await once(request, 'continue');
      await admin(service, 'DELETE', `/api-keys/${key_id}`);
      request.end(body);
      const [response] = await responded;
      response.resume();
      // On a busy machine, the key may be deactivated only when the body is late.
      return response.statusCode !== 408 && response.statusCode;
    });
    expect(status).toBe(401);
    expect(await balanceOf(service, active)).toBe(before);
  });
});
