import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { projections } from '../../projections/index.js';
import { inTransaction } from '../../src/platform/database/pool.js';
import { StoreStateMetrics } from '../../src/operations/metrics/store-state-metrics.js';
import { Metrics } from '../../src/platform/metrics/metrics.js';
import { StoreState } from '../../src/operations/metrics/store-state.js';
import { ensureReaction, markFaulted } from '../../src/platform/projecting/checkpoints.js';
import { WEBHOOK_SUBSCRIBER } from '../../src/contexts/webhooks/notifying/notification-writer.js';
import { startStack, type Stack } from '../support/stack.js';
import { until } from '../support/until.js';
import { PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';

describe('the metrics of the stores', () => {
  let stack: Stack;
  let metrics: Metrics;

  beforeAll(async () => {
    stack = await startStack();
    metrics = new Metrics();
    const state = new StoreState(stack.pool, stack.eventStore, new StoreStateMetrics(metrics.registry));
    metrics.beforeCollect(() => state.refresh());
  });
  afterAll(() => stack.close());

  type Samples = Awaited<ReturnType<Metrics['collect']>>;
  const within = (samples: Samples, name: string, labels: Record<string, string> = {}): unknown => {
    const found = samples.find((metric) => metric.name === name)?.values as
      readonly { value: number; labels: Record<string, string> }[] | undefined;
    return found?.find((sample) => Object.entries(labels).every(([key, text]) => sample.labels[key] === text))?.value;
  };
  /** Returns a value while both stores respond: one that a busy machine keeps from responding in time has none. */
  const value = async (name: string, labels: Record<string, string> = {}): Promise<unknown> => {
    const samples = await until(async () => {
      const collected = await metrics.collect();
      const areUp = ['event_store', 'database'].every((store) => within(collected, 'rupa_store_up', { store }) === 1);
      return areUp && collected;
    });
    return within(samples, name, labels);
  };
  const register = async (): Promise<void> => {
    const partner_id = randomUUID();
    await new StreamWriter(stack.eventStore, stack.codec, PARTNER_STREAMS).execute(partner_id, {
      kind: 'register',
      partner_id,
      company_name: 'Test',
      account_type: 'bank',
      mode: 'live',
      at: '2026-11-21T10:00:00.000Z',
      actor: 'test',
    });
  };
  const partner = { projection: 'partner' };

  it('show by how many events a projection lags, and for how long', async () => {
    const { prepared, stop } = stack.project(projections);
    await prepared;
    await inTransaction(stack.pool, (client) => ensureReaction(client, WEBHOOK_SUBSCRIBER, 1));
    await register();
    await until(async () => (await value('rupa_projection_lag_events', partner)) === 0);
    expect(await value('rupa_projection_lag_seconds', partner)).toBe(0);
    await stop();
    await register();
    await register();
    expect(await value('rupa_projection_lag_events', partner)).toBe(2);
    expect(await value('rupa_webhook_fan_out_lag_events')).toBe(3);
    const since = Number(await value('rupa_projection_lag_seconds', partner));
    await until(async () => Number(await value('rupa_projection_lag_seconds', partner)) > since);
  });

  it('show which projection is faulted', async () => {
    await inTransaction(stack.pool, (client) => markFaulted(client, 'partner', 7n, 'test'));
    expect([
      await value('rupa_projection_faulted', partner),
      await value('rupa_projection_faulted', { projection: 'contribution' }),
    ]).toStrictEqual([1, 0]);
  });

  it('show open charges and waiting deliveries', async () => {
    await stack.pool.query(
      `insert into read.open_charge (lookup_id, partner_id, debited_at) values ('l1', 'p1', now() - interval '90 seconds')`,
    );
    await stack.pool.query(
      `insert into ops.webhook_delivery (event_id, endpoint_id, partner_id, type, recorded_at, created_at, next_attempt_at)
       values (gen_random_uuid(), 1, 'p1', 't', now(), now() - interval '1 hour', now() + interval '1 hour'), (gen_random_uuid(), 1, 'p1', 't', now(), now(), now() - interval '1 minute')`,
    );
    expect([await value('rupa_charges_open'), await value('rupa_webhook_deliveries_waiting')]).toStrictEqual([1, 2]);
    expect(Number(await value('rupa_charges_open_oldest_age_seconds'))).toBeGreaterThanOrEqual(90);
    expect(Number(await value('rupa_webhook_oldest_delivery_age_seconds'))).toBeGreaterThanOrEqual(3_600);
    const overdue = Number(await value('rupa_webhook_delivery_overdue_seconds', { endpoints: 'responding' }));
    expect([overdue >= 60, overdue < 3_600]).toStrictEqual([true, true]);
  });

  it('tell the delay of failing endpoints from that of the others', async () => {
    const delays = async (): Promise<boolean[]> =>
      await Promise.all(
        ['responding', 'failing'].map(
          async (endpoints) => Number(await value('rupa_webhook_delivery_overdue_seconds', { endpoints })) >= 60,
        ),
      );
    expect(await delays()).toStrictEqual([true, false]);
    await stack.pool.query('insert into ops.webhook_health (endpoint_id, failing_since) values (1, now())');
    expect(await delays()).toStrictEqual([false, true]);
  });

  it('are missing while a store does not respond, and return when it does', async () => {
    stack.store.pause();
    const samples = await until(async () => {
      const collected = await metrics.collect();
      return within(collected, 'rupa_store_up', { store: 'database' }) === 1 && collected;
    });
    expect(within(samples, 'rupa_store_up', { store: 'event_store' })).toBe(0);
    expect(within(samples, 'rupa_projection_lag_events', partner)).toBeUndefined();
    expect(within(samples, 'rupa_charges_open')).toBe(1);
    stack.store.resume();
    expect(await value('rupa_projection_lag_events', partner)).toBe(2);
  });

  it('show which store is down', async () => {
    metrics = new Metrics();
    const away = { query: () => Promise.reject(new Error('away')) } as unknown as Stack['pool'];
    const state = new StoreState(away, stack.eventStore, new StoreStateMetrics(metrics.registry));
    metrics.beforeCollect(() => state.refresh());
    const samples = await until(async () => {
      const collected = await metrics.collect();
      return within(collected, 'rupa_store_up', { store: 'event_store' }) === 1 && collected;
    });
    expect([within(samples, 'rupa_store_up', { store: 'database' }), within(samples, 'rupa_charges_open')]).toStrictEqual([0, undefined]);
  });
});
