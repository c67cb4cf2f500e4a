import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { type ApiResponse, admin, makePartner, type TestPartner } from '../support/client.js';
import { type Collector, startCollector } from '../support/collector.js';
import { type Attempt, CANARIES, everyAttempt, found } from '../support/leak-attempts.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { rupa } from '../support/rupa.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const MASTER_KEY = Buffer.from('master-key-qanary-that-has-32-by').toString('base64');

const FARMER = {
  phone_verified: true,
  identity: { full_name: CANARIES.name, phone_number: CANARIES.phone, community: CANARIES.community },
  bvn_nin_data: { bvn: { verified: true, masked: CANARIES.bvn } },
  credit_history: { credit_score: 700 },
};

describe('personal data and secrets', () => {
  let store: EventStoreProcess;
  let database: TestDatabase;
  let receiver: Receiver;
  let collector: Collector;
  let service: TestService;
  let env: Record<string, string>;
  let bank: TestPartner;
  let endpointId: string;
  /** Keys and secrets that the service generated and returned. */
  const issued: string[] = [];
  let printed = '';

  beforeAll(async () => {
    [store, database, receiver, collector] = await Promise.all([
      startEventStoreProcess(),
      createTestDatabase(),
      startReceiver(500),
      startCollector(),
    ]);
    env = {
      EVENT_STORE_URL: store.connectionString,
      DATABASE_URL: database.url,
      MASTER_KEY: `k1:${MASTER_KEY}`,
      ADMIN_TOKEN: `amina:${CANARIES.adminToken}`,
      AUDITOR_TOKEN: CANARIES.auditorToken,
      LOG_LEVEL: 'trace',
      METRICS_PORT: '0',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_BSP_SCHEDULE_DELAY: '50',
      WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
      WEBHOOK_ALLOW_ANY_PORT: 'true',
      WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,0.1',
    };
    service = { ...(await started()), adminToken: CANARIES.adminToken, auditorToken: CANARIES.auditorToken };
    bank = await makePartner(service, { mode: 'sandbox', credit: 1_000_000 });
    issued.push(bank.key);
    await admin(service, 'PUT', '/farmers/rp-1', { mode: 'sandbox', ...FARMER });
    const { id, signing_secret } = (await bank.call('POST', '/webhooks', { url: `${receiver.url}?token=${CANARIES.url}` })).body.data as {
      id: number;
      signing_secret: string;
    };
    endpointId = String(id);
    issued.push(signing_secret);
  });
  afterAll(async () => {
    // A graceful stop would wait for the stores, which are gone.
    await service.kill();
    await service.stop();
    await receiver.close();
    await collector.close();
    await store.close();
    await database.drop();
  });

  /** Starts the service and copies its URL, because spreading would lose the getter. */
  async function started(): Promise<TestService> {
    const own = await startService(env, { repeats: true });
    return { ...own, url: own.url };
  }

  async function metrics(): Promise<string> {
    const port = /"port":(\d+),"msg":"metrics are served"/.exec(service.output())?.[1];
    return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  }

  const report = (partner_reference: string): Promise<ApiResponse> =>
    bank.call('POST', '/report', {
      rupa_id: 'rp-1',
      event: 'loan_disbursed',
      amount: 700,
      partner_reference,
      payload: { note: CANARIES.payload, loan_reference: CANARIES.reference, who: CANARIES.name },
    });

  async function send({ method, path, body, type = 'application/json' }: Attempt, headers: Record<string, string>): Promise<number> {
    const response = await fetch(`${service.url}${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'Content-Type': type }) },
      ...(body === undefined ? {} : { body }),
    });
    const responseBody = await response.text();
    issued.push(...(responseBody.match(/rupa_key_[0-9A-Za-z]{49}|whsec_[A-Za-z0-9+/=]{40,}/g) ?? []));
    return response.status;
  }

  const right = (): Record<string, string> => ({
    'X-API-KEY': bank.key,
    Authorization: `Bearer ${CANARIES.adminToken}`,
    'Idempotency-Key': CANARIES.idempotency,
  });
  const parameter = (name: string): string => ({ rupaId: 'rp-1', id: bank.partner_id, month: '2026-11', deliveryId: '1' })[name] ?? '1';
  const attempts = (): readonly Attempt[] =>
    everyAttempt(parameter)
      .map((attempt) => ({ ...attempt, path: attempt.path.replace(`/webhooks/${bank.partner_id}`, `/webhooks/${endpointId}`) }))
      // The farmer and the partner are needed until the last test.
      .filter(({ method, path }) => !path.includes('/deactivate') && !(method === 'DELETE' && /farmers\/rp-1|webhooks/.test(path)));

  it('are sent to every endpoint, and every log level is printed', async () => {
    expect((await bank.lookup('rp-1')).status).toBe(200);
    expect((await report(CANARIES.reference)).status).toBe(200);
    // The receiver fails, so the notification is sent over and over.
    await until(() => receiver.received.length >= 2);
    expect(JSON.stringify(receiver.received.map(({ path }) => path))).toContain(CANARIES.url);
    const statuses = new Set<number>();
    const wrong = { 'X-API-KEY': CANARIES.wrongKey, Authorization: `Bearer ${CANARIES.wrongToken}` };
    for (const attempt of attempts()) {
      for (const headers of [right(), wrong, { ...right(), Authorization: `Bearer ${CANARIES.auditorToken}` }])
        statuses.add(await send(attempt, headers));
      // An allow list would refuse all further requests for their address.
      if (attempt.path.includes('ip-allow-list')) await admin(service, 'PUT', `/partners/${bank.partner_id}/ip-allow-list`, { cidrs: [] });
    }
    expect([...statuses].sort()).toStrictEqual(expect.arrayContaining([200, 201, 400, 401, 403, 404, 413, 415, 422]));
    // A request above may have raised the price above the balance.
    expect([200, 402]).toContain((await bank.lookup('rp-1')).status);
    expect(service.output()).toMatch(/"level":20/);
  });

  it('do not appear in the output of the command line', async () => {
    const file = join(service.dataDir, 'farmers.jsonl');
    const lines = [
      JSON.stringify({ rupa_id: 'rp-2', ...FARMER }),
      `{"rupa_id":"rp-3","identity":{"full_name":"${CANARIES.name}`,
      JSON.stringify({ rupa_id: CANARIES.broken.repeat(9), identity: { full_name: 5, community: CANARIES.community } }),
      JSON.stringify({ rupa_id: 'rp-4', wallet: { balance: CANARIES.bvn } }),
    ];
    writeFileSync(file, lines.join('\n'));
    for (const args of [
      ['farmers', 'import', file],
      ['projections', 'status'],
      ['keys', 'status'],
      ['keys', 'rotate'],
      ['audit', 'list'],
      ['wallet', 'verify'],
    ]) {
      const { out, err } = await rupa(service.dataDir, args, '', env);
      printed += out + err;
    }
    expect(printed).toContain('1 registered, 0 updated, 0 unchanged, 3 refused');
    expect(found(printed, [...Object.values(CANARIES), ...issued, MASTER_KEY])).toStrictEqual([]);
  });

  it('are sent while the stores fail', async () => {
    const tried: Attempt[] = [
      { method: 'POST', path: '/v1/rupa/lookup', body: JSON.stringify({ rupa_id: 'rp-1', source: CANARIES.payload }) },
      {
        method: 'POST',
        path: '/v1/rupa/report',
        body: JSON.stringify({
          rupa_id: 'rp-1',
          event: 'loan_disbursed',
          amount: 7,
          partner_reference: CANARIES.reference,
          payload: { note: CANARIES.payload },
        }),
      },
      { method: 'POST', path: '/v1/rupa/webhooks', body: JSON.stringify({ url: `${receiver.url}?token=${CANARIES.url}` }) },
      {
        method: 'PUT',
        path: '/admin/v1/farmers/rp-1',
        body: JSON.stringify({ mode: 'sandbox', identity: { full_name: `${CANARIES.name} the second` } }),
      },
      { method: 'GET', path: '/admin/v1/farmers/rp-1' },
      { method: 'GET', path: '/health' },
    ];
    const all = async (): Promise<number[]> => await Promise.all(tried.map((attempt) => send(attempt, right())));
    await store.kill();
    expect(await all()).toContain(503);
    await store.restart();
    await until(async () => (await bank.call('GET', '/me')).status === 200);
    // From here on, every query fails.
    const owner = new pg.Client({ connectionString: database.url });
    await owner.connect();
    await owner.query('alter schema read rename to gone; alter schema ops rename to gone_too');
    await owner.end();
    const failed = await all();
    expect(failed).toContain(500);
    await until(() => service.output().includes('a request failed'));
    // Each call may take as long as the service waits for a store.
  });

  it('do not appear in anything that the service printed', () => {
    const output = service.output();
    expect(output.length).toBeGreaterThan(10_000);
    expect(issued.length).toBeGreaterThan(5);
    expect(found(output, [...Object.values(CANARIES), ...issued, MASTER_KEY])).toStrictEqual([]);
  });

  it('do not appear in metrics', async () => {
    const text = await metrics();
    expect(text).toMatch(/route="\/v1\/rupa\/lookup"/);
    expect(found(text, [...Object.values(CANARIES), ...issued, MASTER_KEY])).toStrictEqual([]);
  });

  it('do not appear in traces', async () => {
    await until(() => new Set(collector.spans.map(({ name }) => name)).size > 40);
    expect(found(collector.text(), [...Object.values(CANARIES), ...issued, MASTER_KEY])).toStrictEqual([]);
  });
});
