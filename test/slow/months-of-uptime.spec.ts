import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { admin, type ApiResponse, balanceOf, call, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { REPLACED_SECRETS_KEPT } from '../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { JumpingTime, type ThreadReport } from '../support/jumping-time.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const STALL =
  /^the event store (does not serve this process|is back)|stopped; it restarts every second until the stores answer$|; (retrying|trying again) (every|in) [\w ]+$|^the last use of API keys could not be written$|^the clock is (wrong, so this process appends no events|right again)$|^requests get 503 because a store is unavailable; further ones are not logged here$/;

const HOUR_MS = 3_600_000;
/** Hours between what happens on a day, in turn: every other day has calls at noon, too. */
const JUMPS = [[12, 12], [24]] as const;
const LONGEST_JUMP_HOURS = 24;
const DAYS = 190;
/** By then, everything that is kept for days has reached its usual size. */
const USUAL_AFTER_DAYS = 40;
const DAYS_BETWEEN = (DAYS - USUAL_AFTER_DAYS) / 2;
const RETENTION_DAYS = 30;
const STORED_RESPONSE_HOURS = 24;
const GUESSES_PER_MINUTE = 20;
const PRICE_NGN = 50;
const CREDIT_NGN = 1_000_000;
/** The current secret of each of two endpoints, and those that it replaced. */
const SIGNING_SECRETS = 2 * (1 + REPLACED_SECRETS_KEPT);
/** Requests that happen to be under way when a thread is looked at. */
const FEW_TIMERS = 20;

describe('a service that runs for more than six months', () => {
  let database: TestDatabase;
  let time: JumpingTime;
  let service: TestService;
  let receiver: Receiver;
  let bank: TestPartner;
  let insurer: TestPartner;
  let deadEndpoint: number;
  let credited = CREDIT_NGN;
  let lookups = 0;
  let reports = 0;
  let deactivated = 0;

  beforeAll(async () => {
    [database, receiver] = await Promise.all([createTestDatabase(), startReceiver()]);
    receiver.response = (request, response) => {
      response.writeHead(request.url?.includes('dead') ? 500 : 200).end();
    };
    time = await JumpingTime.of(database.url);
    service = await startService(
      {
        DATABASE_URL: database.url,
        MASTER_KEY: `k1:${randomBytes(32).toString('base64')}`,
        ADMIN_TOKEN: randomUUID(),
        AUDITOR_TOKEN: randomUUID(),
        METRICS_PORT: '0',
        // The comparisons of the log with its tree are logged at this level.
        LOG_LEVEL: 'info',
        RATE_LIMIT_LIVE_PER_SECOND: '100',
        RATE_LIMIT_FAILED_AUTH_PER_MINUTE: String(GUESSES_PER_MINUTE),
        WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
        WEBHOOK_ALLOW_ANY_PORT: 'true',
        WEBHOOK_RETENTION_DAYS: String(RETENTION_DAYS),
        ...time.env,
      },
      { repeats: true },
    );
    await time.useInDefaults();
    bank = await makePartner(service, { mode: 'sandbox', credit: CREDIT_NGN });
    insurer = await makePartner(service, { mode: 'sandbox', account_type: 'insurer' });
    await admin(service, 'PUT', '/farmers/rp-1', { mode: 'sandbox', identity: { first_name: 'Aisha' } });
    for (const partner of [bank, insurer]) await lookUp(partner);
    await insurer.call('POST', '/webhooks', { url: receiver.url });
    const { id } = (await insurer.call('POST', '/webhooks', { url: `${receiver.url}/dead` })).body.data as { id: number };
    deadEndpoint = id;
  });
  afterAll(async () => {
    await service.stop();
    await time.close();
    await receiver.close();
    await database.drop();
  });

  async function lookUp(partner: TestPartner, headers: Record<string, string> = {}): Promise<ApiResponse> {
    const response = await partner.call('POST', '/lookup', { rupa_id: 'rp-1', sections: ['identity'] }, headers);
    expect(response).toMatchObject({ status: 200, body: { success: true } });
    if (partner === bank && !response.headers.has('Idempotent-Replayed')) lookups += 1;
    return response;
  }

  async function count(what: string): Promise<number> {
    return (await time.query<{ count: string }>(`select count(*) from ${what}`)).map(({ count: rows }) => Number(rows))[0] ?? 0;
  }

  /** Waits until the service has done what was due after a jump. */
  async function settled(): Promise<void> {
    await until(async () => (await fetch(`${service.url}/health/ready`)).ok);
    await until(async () => (await count('ops.webhook_delivery where next_attempt_at <= now()')) === 0);
    // Everything is due at once, the verification too, so the read models may need longer than a read waits to show the last report.
    await until(async () => (await bank.call('GET', '/me')).status !== 503);
  }

  /** A response is stored at the begin of a day and sent again at noon; a day later, its key serves another lookup. */
  async function keyedLookups(jump: number): Promise<void> {
    const { headers } = await lookUp(bank, { 'Idempotency-Key': 'the same for months' });
    expect(headers.has('Idempotent-Replayed')).toBe(jump > 0);
    await lookUp(bank, { 'Idempotency-Key': randomUUID() });
  }

  async function report(): Promise<void> {
    reports += 1;
    const body = { rupa_id: 'rp-1', event: 'loan_disbursed', amount: 700, partner_reference: `r${reports}` };
    expect((await bank.call('POST', '/report', body)).status).toBe(200);
  }

  /** A key is issued, used and deactivated. */
  async function keyOfADay(): Promise<void> {
    const issued = (await admin(service, 'POST', `/partners/${bank.partner_id}/api-keys`, {})).body.data as {
      key_id: string;
      api_key: string;
    };
    const other = partnerWith(service, bank.partner_id, issued.api_key);
    expect((await other.call('GET', '/me')).status).toBe(200);
    await admin(service, 'DELETE', `/api-keys/${issued.key_id}`);
    deactivated += 1;
    expect((await other.call('GET', '/me')).status).toBe(401);
  }

  /** Guesses reach the limit, and the limit ends with its window. */
  async function guess(): Promise<void> {
    const attempt = async (): Promise<number> =>
      (await call(service, 'GET', '/v1/rupa/me', { headers: { 'X-API-KEY': randomUUID() } })).status;
    expect(await attempt()).toBe(401);
    for (let made = 1; made <= GUESSES_PER_MINUTE; made += 1) await attempt();
    expect(await attempt()).toBe(429);
  }

  /** Counts what the threads hold while the log is not being compared with its tree, which holds a part of it in memory. */
  async function countAtRest(): Promise<ThreadReport[]> {
    const last = (message: string): number => service.output().lastIndexOf(`"${message}"`);
    const begun = (): number => last('comparing the log with its tree');
    for (;;) {
      // One that a jump has cut short begins again.
      await until(() => last('the log is the one of its tree') >= begun());
      const before = begun();
      const counts = await time.count();
      if (begun() === before) return counts;
    }
  }

  async function day(number: number): Promise<void> {
    if (number % 10 === 0) await tenthDay(number);
    for (const [jump, hours] of (JUMPS[number % JUMPS.length] ?? []).entries()) {
      await lookUp(bank);
      await keyedLookups(jump);
      await report();
      await time.jump(hours * HOUR_MS);
      await settled();
    }
  }

  async function tenthDay(number: number): Promise<void> {
    await admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, { amount: 100, reference: `day ${number}` });
    credited += 100;
    await keyOfADay();
    await insurer.call('POST', `/webhooks/${deadEndpoint}/rotate-secret`);
    // An update enables the endpoint, which was disabled after five days of failures.
    await insurer.call('PATCH', `/webhooks/${deadEndpoint}`, { name: 'still dead' });
    await guess();
  }

  /** Throws if a thread holds more and more. What grows in one half of the time only was loaded late. */
  function expectBounded(usual: readonly ThreadReport[], halfway: readonly ThreadReport[], last: readonly ThreadReport[]): void {
    expect(last).toHaveLength(usual.length);
    for (const [index, { sizes = {}, timers, isEventStore }] of last.entries()) {
      expect(timers).toBeLessThanOrEqual((usual[index]?.timers ?? 0) + FEW_TIMERS);
      // The embedded event store holds the events of its journal, whose size is fixed.
      if (isEventStore) continue;
      const [before, between] = [usual[index]?.sizes ?? {}, halfway[index]?.sizes ?? {}];
      const growth = (name: string): number =>
        Math.min((sizes[name] ?? 0) - (between[name] ?? 0), (between[name] ?? 0) - (before[name] ?? 0));
      const growing = Object.keys(sizes).filter((name) => growth(name) > 0);
      const sum = growing.reduce((total, name) => total + growth(name), 0);
      if (sum >= DAYS_BETWEEN)
        throw new Error(`${DAYS_BETWEEN} days add ${sum} entries: ${growing.map((name) => `${growth(name)} ${name}`).join('; ')}`);
    }
    expect(last.flatMap(({ wrongDelays }) => wrongDelays)).toStrictEqual([]);
  }

  async function expectTablesPruned(): Promise<void> {
    const hoursAgo = (hours: number): string => `now() - interval '${hours + LONGEST_JUMP_HOURS} hours'`;
    await until(async () => (await count('read.open_charge')) <= 1);
    // The hourly verification begins after each jump.
    await until(async () => (await count('ops.rebuild')) === 0);
    expect({
      oldResponses: await count(`ops.stored_response where begun_at < ${hoursAgo(STORED_RESPONSE_HOURS)}`),
      oldDeliveries: await count(`ops.webhook_delivery where next_attempt_at is null and created_at < ${hoursAgo(24 * RETENTION_DAYS)}`),
      instances: await count('ops.instance'),
      rebuilds: await count('ops.rebuild'),
      // One row for each key, like read.api_key: a deactivated key is refused whatever the read models show.
      deactivatedKeys: await count('ops.deactivated_key'),
    }).toStrictEqual({ oldResponses: 0, oldDeliveries: 0, instances: 1, rebuilds: 0, deactivatedKeys: deactivated });
    expect(await count('ops.webhook_delivery')).toBeGreaterThan(RETENTION_DAYS);
    expect(await count('ops.webhook_health')).toBeLessThanOrEqual(1);
    expect(await count("key_store.secret where name like 'webhook/%'")).toBeLessThanOrEqual(SIGNING_SECRETS);
  }

  it('keeps everything bounded, and its retentions, limits and books', async () => {
    const counts: (readonly ThreadReport[])[] = [];
    for (let number = 0; number < DAYS; number += 1) {
      if (number === USUAL_AFTER_DAYS || number === USUAL_AFTER_DAYS + DAYS_BETWEEN) counts.push(await countAtRest());
      await day(number);
    }
    const [usual = [], halfway = []] = counts;
    expectBounded(usual, halfway, await countAtRest());
    await expectTablesPruned();
    expect(await balanceOf(service, bank)).toBe(credited - PRICE_NGN * lookups);
    const warnings = [...service.output().matchAll(/"level":[456]0,.*"msg":"(.*?)"/g)].map(([, message]) => message);
    // A jump during a call looks like a stall of a store, and a busy machine keeps the read models behind for a moment. The service gets over
    // both by itself.
    const others = warnings.filter((message = '') => !STALL.test(message));
    expect(others).toStrictEqual(Array.from({ length: DAYS / 10 }, () => 'a webhook endpoint was disabled'));
  });
});
