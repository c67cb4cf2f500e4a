import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { hostname, userInfo } from 'node:os';
import { type AdminAuditEntry } from '../../src/contexts/evidence/audit-trail/get-admin-audit.query.js';
import { type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { logPages } from '../../src/platform/event-sourcing/reading/read-log.js';
import { startApplication } from '../support/application.js';
import { call } from '../support/client.js';
import { rupa } from '../support/rupa.js';
import { openLog, type ServiceLog } from '../support/service-log.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const AMINA = 'a-token-that-is-aminas-own';
const tokens = { ADMIN_TOKEN: `amina:${AMINA},a-plain-token-without-a-name`, AUDITOR_TOKEN: 'bode:a-token-that-is-bodes-own' };

/** Returns the registration of a partner that a call or a command has caused. */
async function registrationIn({ eventStore }: ServiceLog, correlationId: string | undefined): Promise<StoredEvent | undefined> {
  for await (const page of logPages(eventStore)) {
    const found = page.find(({ type, metadata }) => type === 'PartnerRegistered' && metadata.$correlationId === correlationId);
    if (found) return found;
  }
  return undefined;
}

describe('the audit trail', () => {
  let service: TestService;
  let began: string;

  beforeAll(async () => {
    began = new Date().toISOString().slice(0, 10);
    service = await startApplication(tokens);
  });
  afterAll(() => service.stop());

  const bearer = (token: string): { headers: Record<string, string> } => ({ headers: { Authorization: `Bearer ${token}` } });
  const trail = async (...more: string[]): Promise<AdminAuditEntry[]> => {
    const { out } = await rupa(service, ['audit', 'list', '--from', began, '--json', ...more], '', tokens);
    return out
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as AdminAuditEntry);
  };
  const of = (entries: readonly AdminAuditEntry[], route: string): AdminAuditEntry[] => entries.filter((entry) => entry.route === route);
  /** Leaves out the calls that a busy machine did not serve in time. They are sent again, and each attempt has an entry of its own. */
  const served = (entries: readonly AdminAuditEntry[]): AdminAuditEntry[] => entries.filter(({ status }) => status !== 503);

  it('records who did what, from where and with which outcome, and nothing more', async () => {
    expect(
      (await call(service, 'PUT', '/admin/v1/farmers/rp-1', { ...bearer(AMINA), body: { identity: { full_name: 'Aisha Canary' } } }))
        .status,
    ).toBe(200);
    expect((await call(service, 'GET', '/admin/v1/farmers/rp-1?x=Canary', bearer('a-token-that-is-bodes-own'))).status).toBe(403);
    expect((await call(service, 'PUT', '/admin/v1/farmers/rp-1', { ...bearer('a-token-that-is-bodes-own'), body: {} })).status).toBe(403);
    expect(
      (await call(service, 'PUT', '/admin/v1/farmers/Aisha%20Canary', { ...bearer('a-plain-token-without-a-name'), body: {} })).status,
    ).toBe(422);
    const entries = await until(async () => {
      const found = served(of(await trail(), '/admin/v1/farmers/:rupaId'));
      return found.every(({ status }) => status !== null) && found;
    });
    expect(entries.map(({ role, name, method, parameters, status }) => [role, name, method, parameters.rupaId, status])).toStrictEqual([
      ['admin', 'amina', 'PUT', 'rp-1', 200],
      ['auditor', 'bode', 'GET', 'rp-1', 403],
      ['auditor', 'bode', 'PUT', 'rp-1', 403],
      ['admin', null, 'PUT', '?', 422],
    ]);
    expect(entries[0]).toMatchObject({
      address: '127.0.0.1',
      fingerprint: createHash('sha256').update(AMINA).digest('hex').slice(0, 8),
      recorded_at: expect.stringMatching(/Z$/),
    });
    expect(JSON.stringify(entries)).not.toMatch(/Canary|token-that/);
    expect(served(await trail('--actor', 'bode'))).toHaveLength(2);
    expect((await rupa(service, ['audit', 'list', '--from', began], '', tokens)).out).toMatch(
      /admin amina [0-9a-f]{8}.*127\.0\.0\.1.*PUT \/admin\/v1\/farmers\/rp-1 .*200/,
    );
  });

  it('leads to the events that a call caused, which name the administrator', async () => {
    const attempts = of(await trail('--actor', 'amina'), '/admin/v1/farmers/:rupaId').map(({ correlation_id }) => correlation_id);
    const log = await openLog(service);
    const events = await log.eventStore.readStream('farmer-rp-1');
    await log.eventStore.close();
    expect(events.map(({ type, data }) => [type, data.actor])).toStrictEqual([['FarmerRegistered', 'admin:amina']]);
    expect(attempts).toContain(events[0]?.metadata.$correlationId);
  });

  it('records no call without a valid token, so that it cannot be flooded', async () => {
    const before = (await trail()).length;
    for (const token of ['wrong', '']) expect((await call(service, 'GET', '/admin/v1/partners', bearer(token))).status).toBe(401);
    expect(await trail()).toHaveLength(before);
  });

  it('records commands that change something, with the user who ran them', async () => {
    expect((await rupa(service, ['partners', 'create', 'Canary Bank', '--type', 'bank'], '', tokens)).code).toBe(0);
    expect((await rupa(service, ['partners', 'activate', 'nobody'], '', tokens)).code).toBe(1);
    expect((await rupa(service, ['partners', 'list'], '', tokens)).code).toBe(0);
    const named = { ...tokens, RUPA_ACTOR: 'month-end' };
    expect((await rupa(service, ['partners', 'create', 'Canary Insurer', '--type', 'insurer'], '', named)).code).toBe(0);
    const entries = await trail('--actor', 'cli');
    expect(entries.map(({ name, method, route, parameters, status }) => ({ name, method, route, parameters, status }))).toStrictEqual([
      { name: userInfo().username, method: 'RUN', route: 'rupa partners create', parameters: {}, status: 0 },
      { name: userInfo().username, method: 'RUN', route: 'rupa partners activate', parameters: { partner: 'nobody' }, status: 1 },
      { name: 'month-end', method: 'RUN', route: 'rupa partners create', parameters: {}, status: 0 },
    ]);
    const log = await openLog(service);
    const [own, theirs] = await Promise.all([entries[0], entries[2]].map((entry) => registrationIn(log, entry?.correlation_id)));
    await log.eventStore.close();
    expect([own?.data.actor, theirs?.data.actor]).toStrictEqual([`cli:${userInfo().username}`, 'cli:month-end']);
    expect([own?.metadata.host, theirs?.metadata.host]).toStrictEqual([hostname(), hostname()]);
  });

  it('has an entry of its own for every call, however its path is written and whichever request id it is sent with', async () => {
    const created = await call(service, 'POST', '/admin/v1/partners', {
      ...bearer(AMINA),
      body: { company_name: 'B', account_type: 'bank' },
    });
    const { partner_id } = created.body.data as { partner_id: string };
    const id = randomUUID();
    const headers = { ...bearer(AMINA).headers, 'X-Request-Id': id, 'Content-Type': 'application/json' };
    const wallet = `v1/partners/${partner_id}/wallet`;
    const reads = ['/admin/v1/price-book', '/%61dmin/v1/price-book', '/admin/v1/%70rice-book', `${service.url}/%61dmin/v1/price-book`];
    const credits = [`/admin/${wallet}/credits`, `/%61dmin/${wallet}/credits`, `${service.url}/admin/${wallet}/credits`];
    for (const path of reads) expect(await send(service.url, 'GET', path, headers)).toBe(200);
    for (const [index, path] of credits.entries())
      expect(await send(service.url, 'POST', path, headers, JSON.stringify({ amount: 10, reference: `r${index}` }))).toBe(200);
    const entries = await until(async () => {
      const found = served(await trail()).filter(
        ({ route, method, parameters }) => route.includes('price-book') || (parameters.id === partner_id && method === 'POST'),
      );
      return found.every(({ status }) => status !== null) && found;
    });
    expect(of(entries, '/admin/v1/price-book').map(({ method, status }) => [method, status])).toStrictEqual(reads.map(() => ['GET', 200]));
    const credited = of(entries, '/admin/v1/partners/:id/wallet/credits');
    expect(credited.map(({ method, status }) => [method, status])).toStrictEqual(credits.map(() => ['POST', 200]));
    expect(new Set([...entries.map(({ correlation_id }) => correlation_id), id]).size).toBe(entries.length + 1);
  });

  it('records every one of many concurrent calls', async () => {
    const ids = Array.from({ length: 300 }, (_, number) => `rp-many-${number}`);
    await Promise.all(ids.map((id) => call(service, 'PUT', `/admin/v1/farmers/${id}`, { ...bearer(AMINA), body: {} })));
    const found = await until(async () => {
      const entries = served(of(await trail(), '/admin/v1/farmers/:rupaId'));
      const many = entries.filter(({ parameters }) => parameters.rupaId?.startsWith('rp-many'));
      return many.every(({ status }) => status === 200) && many;
    });
    expect(found.map(({ parameters }) => parameters.rupaId).sort()).toStrictEqual(ids.sort());
  });
});

/** Sends the request target as it is written, which `fetch` would normalise, again while it gets 503. Returns the status. */
async function send(url: string, method: string, path: string, headers: Record<string, string>, body = ''): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  for (;;) {
    const outgoing = request({ hostname, port, method, path, headers: { ...headers, 'Content-Length': Buffer.byteLength(body) } });
    outgoing.end(body);
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
    incoming.resume();
    await once(incoming, 'end');
    if (incoming.statusCode !== 503) return incoming.statusCode;
  }
}
