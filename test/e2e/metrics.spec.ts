import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { projections } from '../../projections/index.js';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { type Family, type MeasuredService, startMeasured, valueIn } from '../support/metrics.js';
import { type ReceiverResponse, type Receiver, startReceiver } from '../support/receiver.js';
import { until } from '../support/until.js';

type Families = ReadonlyMap<string, Family>;

const ONE_FIELD = { sections: ['identity'] };

describe('the metrics endpoint', () => {
  let measured: MeasuredService;
  let bank: TestPartner;
  let receiver: Receiver | undefined;

  beforeAll(async () => {
    measured = await startMeasured({
      WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
      WEBHOOK_RETRY_SCHEDULE_SECONDS: '0,0.05,0.05',
      WEBHOOK_TIMEOUT_MS: '60000',
      RATE_LIMIT_FAILED_AUTH_PER_MINUTE: '2',
    });
    Object.assign(measured.service, { repeatsUnserved: true });
    await admin(measured.service, 'PUT', '/farmers/rp-1', {
      mode: 'sandbox',
      identity: { full_name: 'Canary Person', phone_number: '+2348012345678' },
    });
    bank = await makePartner(measured.service, { mode: 'sandbox' });
  });
  afterAll(() => measured.service.stop());
  afterEach(async () => {
    await receiver?.close();
    receiver = undefined;
  });

  /** Returns how much a counter grows while `work` runs. */
  async function growth(name: string, labels: Readonly<Record<string, string>>, work: () => Promise<unknown>): Promise<number> {
    const before = (await measured.value(name, labels)) ?? 0;
    await work();
    return ((await measured.value(name, labels)) ?? 0) - before;
  }
  /** Returns the first scrape that meets the condition. */
  const scrapeWith = async (condition: (families: Families) => boolean): Promise<Families> =>
    await until(async () => {
      const families = await measured.families();
      return condition(families) && families;
    });
  const lookups = (outcome: string, work: () => Promise<unknown>): Promise<number> => growth('rupa_lookups_total', { outcome }, work);
  const register = async (response: ReceiverResponse): Promise<void> => {
    receiver = await startReceiver(response);
    await bank.call('POST', '/webhooks', { url: receiver.url });
  };

  it('counts lookups by outcome and mode', async () => {
    const unfunded = await makePartner(measured.service, { mode: 'sandbox', credit: 0 });
    const pending = await makePartner(measured.service, { mode: 'sandbox', active: false });
    expect(await lookups('billed', () => bank.lookup('rp-1', ONE_FIELD))).toBe(1);
    const inMode = (mode: string) => growth('rupa_lookups_total', { outcome: 'billed', mode }, () => bank.lookup('rp-1', ONE_FIELD));
    expect([await inMode('sandbox'), await inMode('live')]).toStrictEqual([1, 0]);
    expect(await lookups('insufficient_balance', () => unfunded.lookup('rp-1'))).toBe(1);
    expect(await lookups('forbidden', () => pending.lookup('rp-1'))).toBe(1);
    expect(await lookups('farmer_unknown', () => bank.lookup('rp-none'))).toBe(1);
    expect(await lookups('invalid', () => bank.call('POST', '/lookup', { rupa_id: 7 }))).toBe(1);
  });

  it('counts a replayed response separately from a billed lookup', async () => {
    const lookUpWithKey = () => bank.call('POST', '/lookup', { rupa_id: 'rp-1', ...ONE_FIELD }, { 'Idempotency-Key': 'key-of-metrics' });
    const keyed = (outcome: string) => growth('rupa_idempotent_lookups_total', { outcome }, lookUpWithKey);
    expect(await keyed('billed')).toBe(1);
    expect(await keyed('replayed')).toBe(1);
    expect(await lookups('replayed', lookUpWithKey)).toBe(1);
  });

  it('counts requests by route template', async () => {
    const labels = { route: '/v1/rupa/consents/:rupaId', method: 'DELETE', status: '404' };
    expect(await growth('rupa_http_request_duration_seconds_count', labels, () => bank.call('DELETE', '/consents/rp-of-nobody'))).toBe(1);
    expect(
      await growth('rupa_http_request_duration_seconds_count', { route: 'none', status: '404' }, () =>
        fetch(`${measured.service.url}/rp-1`),
      ),
    ).toBe(1);
  });

  it('counts requests that a rate limit refused', async () => {
    const wrong = () => fetch(`${measured.service.url}/v1/rupa/me`, { headers: { 'X-API-KEY': 'wrong' } });
    expect(
      await growth('rupa_rate_limited_requests_total', { limit: 'failed_authentication' }, async () => {
        for (let call = 0; call < 4; call += 1) await wrong();
      }),
    ).toBe(2);
  });

  it('counts appends and their events, and no conflict when there was none', async () => {
    const before = { ...(await appends()) };
    await bank.lookup('rp-1', ONE_FIELD);
    const after = await appends();
    expect(after.count).toBeGreaterThan(before.count);
    expect(after.debits).toBe(before.debits + 1);
    expect(await measured.value('rupa_append_conflicts_total', { category: 'wallet' })).toBe(0);
    expect(await measured.value('rupa_refunds_total')).toBe(0);
  });

  async function appends(): Promise<{ count: number; debits: number }> {
    return {
      count: (await measured.value('rupa_append_duration_seconds_count', { category: 'wallet' })) ?? 0,
      debits: (await measured.value('rupa_events_appended_total', { type: 'WalletDebited' })) ?? 0,
    };
  }

  it('shows a charge as open until it is settled', async () => {
    // A charge is open for two seconds, in which a scrape on a busy machine may not come.
    await until(async () => {
      await bank.lookup('rp-1', ONE_FIELD);
      return ((await measured.value('rupa_charges_open_oldest_age_seconds')) ?? 0) > 0;
    });
    await until(
      async () => (await measured.value('rupa_charges_open')) === 0 && (await measured.value('rupa_charges_open_oldest_age_seconds')) === 0,
    );
  });

  it('shows no lag for any projection once all have caught up', async () => {
    const lags = [
      'rupa_projection_lag_events',
      'rupa_projection_lag_seconds',
      'rupa_webhook_fan_out_lag_events',
      'rupa_webhook_fan_out_lag_seconds',
    ];
    // A store that does not respond in time is left out of a scrape.
    const scraped = await scrapeWith(
      (families) => valueIn(families, 'rupa_store_up') === 2 && lags.every((name) => valueIn(families, name) === 0),
    );
    expect(
      scraped
        .get('rupa_projection_lag_events')
        ?.samples.map(({ labels }) => labels.projection)
        .sort(),
    ).toStrictEqual(projections.map(({ name }) => name).sort());
    expect(valueIn(scraped, 'rupa_projection_faulted')).toBe(0);
  });

  it('combines the metrics of the main and the background thread', async () => {
    // A thread that does not respond in time is left out of a scrape.
    const scraped = await scrapeWith(
      (families) => valueIn(families, 'nodejs_heap_size_used_bytes', { thread: 'background' }) !== undefined,
    );
    expect(valueIn(scraped, 'rupa_projection_batch_events_sum')).toBeGreaterThan(0);
    for (const thread of ['main', 'background']) {
      expect(valueIn(scraped, 'nodejs_heap_size_used_bytes', { thread })).toBeGreaterThan(0);
      expect(valueIn(scraped, 'rupa_database_connections_max', { pool: thread })).toBeGreaterThan(0);
    }
    expect(valueIn(scraped, 'process_cpu_seconds_total', { thread: 'background' })).toBeUndefined();
  });

  it('counts failed and successful deliveries, and shows the age of the oldest waiting one', async () => {
    await bank.lookup('rp-1', ONE_FIELD);
    await register(500);
    const scrapeWithOne = (outcome: string): Promise<Families> =>
      scrapeWith((families) => valueIn(families, 'rupa_webhook_deliveries_total', { outcome }) === 1);
    await bank.call('POST', '/report', { rupa_id: 'rp-1', event: 'loan_repayment' });
    expect(valueIn(await scrapeWithOne('exhausted'), 'rupa_webhook_deliveries_total', { outcome: 'failed' })).toBe(2);
    if (receiver) receiver.response = 200;
    await bank.call('POST', '/report', { rupa_id: 'rp-1', event: 'loan_repayment' });
    expect(valueIn(await scrapeWithOne('delivered'), 'rupa_webhook_attempt_duration_seconds_count')).toBe(4);
    await until(
      async () =>
        (await measured.value('rupa_webhook_deliveries_waiting')) === 0 &&
        (await measured.value('rupa_webhook_oldest_delivery_age_seconds')) === 0,
    );
  });

  it('exposes no personal data, ids or keys', async () => {
    const text = await measured.text();
    // The whole number of the telephone, because a measured duration may contain a few digits of it.
    for (const personal of ['rp-', bank.partner_id, bank.key, 'Canary', '2348012345678', '127.0.0.1', 'key-of-metrics'])
      expect(text).not.toContain(personal);
    const series = [...(await measured.families()).values()]
      .filter(({ name }) => name.startsWith('rupa_'))
      .flatMap(({ samples }) => samples);
    for (const { labels } of series)
      for (const [key, value] of Object.entries(labels))
        expect([key, value.replace(/\/:?\w+/g, '')]).not.toContainEqual(expect.stringMatching(/[0-9a-f]{8}/));
  });

  it('is served on its own port only, and that port serves nothing else', async () => {
    expect((await fetch(`${measured.service.url}/metrics`)).status).toBe(404);
    expect((await fetch(measured.metricsUrl.replace('/metrics', '/health'))).status).toBe(404);
    expect((await fetch(measured.metricsUrl, { method: 'POST' })).status).toBe(404);
  });
});
