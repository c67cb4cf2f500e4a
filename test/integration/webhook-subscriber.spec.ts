import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { consentRosterProjection } from '../../projections/consent-roster/consent-roster.projection.js';
import { erasedFarmerProjection } from '../../projections/erased-farmer/erased-farmer.projection.js';
import { lowBalanceThresholdProjection } from '../../projections/low-balance-threshold/low-balance-threshold.projection.js';
import { walletEntryProjection } from '../../projections/wallet-entry/wallet-entry.projection.js';
import { partnerProjection } from '../../projections/partner/partner.projection.js';
import { webhookEndpointProjection } from '../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { type CheckpointEvent, FencedOff } from '../../src/platform/projecting/checkpoints.js';
import { DELIVERIES_PER_TRANSACTION } from '../../src/contexts/webhooks/domain/notification.js';
import { noteNotified } from '../../src/contexts/webhooks/notifying/signed-rows.js';
import { NotificationSubscriber } from '../../src/contexts/webhooks/notifying/notification-subscriber.js';
import { type Appender, appenderOf } from '../support/event-appender.js';
import { holdSubscriptions } from '../support/held-subscriptions.js';
import { ANY_STREAM, type Stack, startStack } from '../support/stack.js';
import { until } from '../support/until.js';
import { debited, refunded } from '../support/unit/wallet-events.js';

const at = '2026-11-21T10:00:00.000Z';

describe('the webhook subscriber', () => {
  let stack: Stack;
  let stopping: AbortController;
  let running: Promise<unknown>[];

  beforeAll(async () => {
    stack = await startStack(ANY_STREAM);
  });
  beforeEach(() => {
    stopping = new AbortController();
    running = [];
  });
  // The subscribers share a checkpoint, so one that outlived its test, even a failed one, would be fenced off by those of the next, or fence them off.
  afterEach(async () => {
    stopping.abort();
    await Promise.allSettled(running);
  });
  afterAll(async () => {
    await stack.close();
  });

  const append: Appender['append'] = (...event) => appenderOf(stack).append(...event);
  const grant: Appender['grant'] = (...consent) => appenderOf(stack).grant(...consent);
  const register: Appender['register'] = (...endpoint) => appenderOf(stack).register(...endpoint);
  const disable: Appender['disable'] = (...endpoint) => appenderOf(stack).disable(...endpoint);
  const report: Appender['report'] = (...contribution) => appenderOf(stack).report(...contribution);
  const written = async (): Promise<[number, number][]> => {
    const { rows } = await stack.pool.query<{ contribution_id: number; endpoint_id: number }>(
      'select contribution_id, endpoint_id from ops.webhook_delivery order by contribution_id, endpoint_id',
    );
    return rows.map(({ contribution_id, endpoint_id }) => [contribution_id, endpoint_id]);
  };
  const project = (): void => {
    const projected = [
      consentRosterProjection,
      partnerProjection,
      webhookEndpointProjection,
      lowBalanceThresholdProjection,
      walletEntryProjection,
    ];
    stack.project([...projected, erasedFarmerProjection], { maxBatch: 3 });
  };
  /** Starts a subscriber, which ends when it is stopped, or with the test. */
  const subscribe = (eventStore = stack.eventStore): { readonly work: Promise<void>; readonly stop: () => Promise<void> } => {
    const own = new AbortController();
    const work = new NotificationSubscriber(stack.pool, eventStore, stack.codec, stack.parts.macs).run(
      AbortSignal.any([stopping.signal, own.signal]),
    );
    work.catch(() => undefined);
    running.push(work);
    const stop = (): Promise<void> => {
      own.abort();
      return work;
    };
    return { work, stop };
  };

  it('writes a delivery per event and endpoint of each partner with a consent at that time, once the read models have caught up', async () => {
    await append('farmer-rp-1', { type: 'FarmerRegistered', data: { rupa_id: 'rp-1', mode: 'live', recorded_at: at, actor: 'a' } });
    await register(1, 'p1');
    await register(2, 'p2');
    await report(1, 'rp-1');
    await grant('p1', 'rp-1');
    await report(2, 'rp-1');
    await grant('p2', 'rp-1');
    await report(3, 'rp-1');
    await register(3, 'p1');
    await report(4, 'rp-1');
    const { work } = subscribe();
    await until(
      async () => (await stack.pool.query("select 1 from ops.checkpoint where projection = 'webhook_deliveries'")).rowCount === 1,
    );
    expect(await written()).toStrictEqual([]);
    project();
    await until(async () => (await written()).length >= 6);
    expect(await written()).toStrictEqual([
      [2, 1],
      [3, 1],
      [3, 2],
      [4, 1],
      [4, 2],
      [4, 3],
    ]);
    await disable(2, 'p2');
    await report(5, 'rp-1');
    await until(async () => (await written()).length >= 8);
    expect((await written()).slice(6)).toStrictEqual([
      [5, 1],
      [5, 3],
    ]);
    expect(await Promise.race([work.then(() => 'ended'), Promise.resolve('running')])).toBe('running');
  });

  it('writes no delivery twice: a subscriber is fenced off by another, and a new one resumes at the checkpoint', async () => {
    const before = await written();
    const { eventStore, asked, release } = holdSubscriptions(stack.eventStore);
    const late = subscribe(eventStore);
    await asked;
    const first = subscribe();
    await report(6, 'rp-1');
    await until(async () => (await written()).length >= before.length + 2);
    release();
    await expect(late.work).rejects.toBeInstanceOf(FencedOff);
    expect(await written()).toStrictEqual([...before, [6, 1], [6, 3]]);
    await first.stop();
    subscribe();
    await report(7, 'rp-1');
    await until(async () => (await written()).length >= before.length + 4);
    expect(await written()).toStrictEqual([...before, [6, 1], [6, 3], [7, 1], [7, 3]]);
  });

  it('writes a delivery for a balance that fell through its threshold, also after the subscriber was started again', async () => {
    const threshold = (threshold_kobo: number): Promise<bigint> =>
      append('partner-p7', { type: 'LowBalanceThresholdChanged', data: { partner_id: 'p7', threshold_kobo, recorded_at: at, actor: 'a' } });
    const spend = (balance_after_kobo: number): Promise<bigint> => {
      const event = debited(randomUUID(), 'rp-1');
      return append('wallet-p7', { ...event, data: { ...event.data, partner_id: 'p7', balance_after_kobo } });
    };
    const fallen = async (): Promise<unknown[]> =>
      (
        await stack.pool.query<{ endpoint_id: number; data: object }>(
          `select endpoint_id, data from ops.webhook_delivery where type = 'account.low_balance' order by delivery_id`,
        )
      ).rows;
    const first = subscribe();
    await register(70, 'p7', ['account.low_balance']);
    await register(71, 'p7');
    await register(72, 'p8', ['account.low_balance']);
    await threshold(500_00);
    await spend(450_00);
    await until(async () => (await fallen()).length === 1);
    await first.stop();
    await spend(499_00);
    subscribe();
    await until(async () => (await fallen()).length === 2);
    expect(await fallen()).toStrictEqual([
      { endpoint_id: 70, data: { balance: 450, threshold: 500, currency: 'NGN' } },
      { endpoint_id: 70, data: { balance: 499, threshold: 500, currency: 'NGN' } },
    ]);
    await stack.pool.query(`delete from ops.webhook_delivery where type = 'account.low_balance'`);
  });

  it('writes an erasure once, for the partners that hold or held a consent and for their endpoints that name it', async () => {
    const looked = async (partner_id: string, rupa_id: string, isRefunded = false): Promise<void> => {
      const debit = debited(`lookup of ${partner_id}`, rupa_id);
      await append(`wallet-${partner_id}`, { ...debit, data: { ...debit.data, partner_id } });
      const refund = refunded(`lookup of ${partner_id}`, rupa_id, 0);
      if (isRefunded) await append(`wallet-${partner_id}`, { ...refund, data: { ...refund.data, partner_id } });
    };
    const recipients = async (): Promise<unknown[]> =>
      (
        await stack.pool.query<{ partner_id: string }>(
          `select r.partner_id, n.event_id, n.rupa_id, n.partner_id as own from ops.notification_recipient r join ops.notification n using (sequence)
           where n.type = 'farmer.erased' order by r.partner_id`,
        )
      ).rows;
    const farmer = { rupa_id: 'rp-erased', recorded_at: at, actor: 'a' };
    await append('farmer-rp-erased', { type: 'FarmerRegistered', data: { ...farmer, mode: 'live' } });
    await looked('holds', 'rp-erased');
    await looked('held', 'rp-erased');
    const released = { partner_id: 'held', rupa_id: 'rp-erased', granted_revision: 0, recorded_at: at, actor: 'a' };
    await append('consent-held-rp-erased', { type: 'ConsentReleased', data: released });
    await looked('refunded', 'rp-erased', true);
    await looked('other', 'rp-1');
    for (const [index, partner_id] of ['holds', 'held', 'refunded', 'other'].entries()) {
      await register(80 + 2 * index, partner_id, ['farmer.erased']);
      await register(81 + 2 * index, partner_id);
    }
    await disable(80, 'holds');
    await register(90, 'holds', ['*', 'farmer.erased']);
    const first = subscribe();
    const { rows: before } = await stack.pool.query<{ position: string; event: CheckpointEvent }>(
      "select position, event from ops.checkpoint where projection = 'webhook_deliveries'",
    );
    await append('farmer-rp-erased', { type: 'FarmerErased', data: farmer });
    const { id: event_id } = (await stack.eventStore.lastEvent('farmer-rp-erased')) ?? {};
    await until(async () => (await recipients()).length > 0);
    await first.stop();
    // The erasure comes again, as after a crash before the checkpoint moved.
    const [{ position, event } = { position: '', event: undefined }] = before;
    await stack.pool.query("update ops.checkpoint set position = $1, event = $2 where projection = 'webhook_deliveries'", [
      position,
      JSON.stringify(event),
    ]);
    await noteNotified(stack.pool, stack.parts.macs, {
      ...{ subscriber: 'webhook_deliveries', event_id: event?.id ?? '', stream: event?.stream ?? '', revision: event?.revision ?? 0 },
    });
    subscribe();
    await report(8, 'rp-1');
    await until(async () => (await written()).some(([contribution]) => contribution === 8));
    const common = { event_id, rupa_id: 'rp-erased', own: null };
    expect(await recipients()).toStrictEqual([
      { partner_id: 'held', ...common },
      { partner_id: 'holds', ...common },
    ]);
    const { rows } = await stack.pool.query(
      `select endpoint_id, partner_id, event_id, rupa_id, data from ops.webhook_delivery where type = 'farmer.erased' order by endpoint_id`,
    );
    const delivery = { event_id, rupa_id: 'rp-erased', data: null };
    expect(rows).toStrictEqual([
      { endpoint_id: 82, partner_id: 'held', ...delivery },
      { endpoint_id: 90, partner_id: 'holds', ...delivery },
    ]);
  });

  it('writes the deliveries of many events with many recipients in several transactions', async () => {
    const [events, recipients] = [60, 300];
    await stack.pool.query(
      `insert into read.webhook_endpoint (endpoint_id, partner_id, mode, url, events, status, secret_id, replaced_secrets, registered_at, enabled_position)
       select 1000 + n, 'p9', 'live', 'https://partner.example/', '["*"]', 'enabled', 's', '[]', now(), 0 from generate_series(1, $1) n`,
      [recipients],
    );
    await append('farmer-rp-2', { type: 'FarmerRegistered', data: { rupa_id: 'rp-2', mode: 'live', recorded_at: at, actor: 'a' } });
    await grant('p9', 'rp-2');
    for (let n = 0; n < events; n += 1) await report(100 + n, 'rp-2');
    subscribe();
    const transactions = async (): Promise<number[]> =>
      (
        await stack.pool.query<{ count: number }>(
          'select count(*) from ops.webhook_delivery where endpoint_id > 1000 group by created_at order by created_at',
        )
      ).rows.map(({ count }) => count);
    const sizes = await until(async () => {
      const found = await transactions();
      return found.reduce((sum, size) => sum + size, 0) >= events * recipients && found;
    });
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(events * recipients);
    expect(sizes.length).toBeGreaterThan(1);
    expect(sizes.at(-1)).toBeLessThanOrEqual(DELIVERIES_PER_TRANSACTION);
  });
});
