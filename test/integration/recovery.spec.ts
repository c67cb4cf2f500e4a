import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type ClaimedDelivery, DeliveryQueue } from '../../src/contexts/webhooks/delivering/delivery-queue.js';
import { RecoverDeliveries, RecoverDeliveriesHandler } from '../../src/contexts/webhooks/delivering/recover-deliveries.command.js';
import { type WebhookOptions } from '../../src/contexts/webhooks/webhook-options.js';
import { RecoverWebhookDto } from '../../src/contexts/webhooks/endpoints/webhooks.dto.js';
import { validateBody } from '../../src/http/validating/validation.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { DeliveryWorld } from '../support/delivery-world.js';
import { anyRow } from '../support/row-macs.js';
import { EndpointFinder } from '../../src/contexts/webhooks/endpoints/endpoint-finder.js';

const EVENTS = 25;
const INTERVAL_MS = 100;

describe('a recovery', () => {
  let world: DeliveryWorld;

  beforeAll(async () => {
    world = await DeliveryWorld.create();
    await world.endpoint(1, 'https://partner.example/');
    for (const rupaId of ['rp-1', 'rp-erased']) await world.consent(rupaId);
    await world.pool.query("insert into read.erased_farmer (rupa_id, position, erased_at) values ('rp-erased', 1, now())");
  });
  afterAll(() => world.close());
  beforeEach(async () => {
    await world.pool.query('truncate ops.notification, ops.notification_recipient, ops.webhook_delivery');
    await world.endpoint(1, '', { events: ['*'] });
    await list('rp-1', 1, EVENTS);
  });

  /** Lists an event for each sequence. */
  const list = async (
    rupaId: string | null,
    from: number,
    to: number,
    over: { type?: string; partner_id?: string } = {},
  ): Promise<void> => {
    await world.pool.query(
      `insert into ops.notification (sequence, position, event_id, partner_id, type, rupa_id, recorded_at)
       select n, n, gen_random_uuid(), $4, $5, $1, now() from generate_series($2::int, $3::int) n`,
      [rupaId, from, to, over.partner_id ?? null, over.type ?? 'farmer.loan_added'],
    );
  };
  /** Makes a delivery of each listed event up to a sequence. */
  const deliver = async (to: number, status: string, leased = false): Promise<void> => {
    await world.pool.query(
      `insert into ops.webhook_delivery (event_id, endpoint_id, partner_id, type, recorded_at, sequence, status, attempt, next_attempt_at, leased_until)
       select event_id, 1, 'p1', type, recorded_at, sequence, $2, 3, $3, $4 from ops.notification where sequence <= $1`,
      [to, status, status === 'pending' ? new Date() : null, leased ? new Date(Date.now() + 60_000) : null],
    );
  };
  const recover = (retentionDays = 90, since = new Date(Date.now() - 10 * 60_000).toISOString()): Promise<number> =>
    new RecoverDeliveriesHandler(
      world.pool,
      new EndpointFinder(world.pool, anyRow),
      new SystemClock(),
      { retentionDays } as WebhookOptions,
      anyRow,
    ).execute(new RecoverDeliveries(1, validateBody(RecoverWebhookDto, { since })));
  const queued = async (): Promise<{ sequence: string; attempt: number; due: string | null }[]> =>
    (
      await world.pool.query<{ sequence: string; attempt: number; due: string | null }>(
        'select sequence, attempt, next_attempt_at as due from ops.webhook_delivery where recovering order by next_attempt_at',
      )
    ).rows;
  const sequences = (from: number, to = EVENTS): string[] => Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

  it('queues the events in order, ten a second', async () => {
    expect(await recover()).toBe(EVENTS);
    const rows = await queued();
    expect(rows.map(({ sequence }) => sequence)).toStrictEqual(sequences(1));
    const [first] = rows;
    expect(rows.map(({ due }) => Date.parse(due ?? '') - Date.parse(first?.due ?? ''))).toStrictEqual(
      rows.map((_, index) => index * INTERVAL_MS),
    );
  });

  it.each(['exhausted', 'cancelled', 'pending'])('starts deliveries again that are %s, without doubling them', async (status) => {
    await deliver(10, status);
    expect(await recover()).toBe(EVENTS);
    expect((await queued()).map(({ sequence, attempt }) => [sequence, attempt])).toStrictEqual(sequences(1).map((each) => [each, 0]));
    expect(await world.statuses()).toStrictEqual({ pending: EVENTS });
  });

  it('leaves out what was delivered', async () => {
    await deliver(10, 'delivered');
    expect(await recover()).toBe(EVENTS - 10);
    expect((await queued()).map(({ sequence }) => sequence)).toStrictEqual(sequences(11));
  });

  it('queues failed, exhausted and new deliveries in the order of their events, and has them claimed in it', async () => {
    await deliver(EVENTS, 'exhausted');
    // The rows of the table are in another order than the events now.
    await world.pool.query(`delete from ops.webhook_delivery where sequence % 3 = 0`);
    await world.pool.query(
      `update ops.webhook_delivery set status = 'failed', next_attempt_at = now() + interval '1 hour' where sequence % 3 = 1`,
    );
    expect(await recover()).toBe(EVENTS);
    expect((await queued()).map(({ sequence }) => sequence)).toStrictEqual(sequences(1));
    await world.pool.query(`update ops.webhook_delivery set next_attempt_at = next_attempt_at - interval '1 hour'`);
    const claimed = await new DeliveryQueue(world.pool).claim(new Map([[1, EVENTS]]), EVENTS, 30);
    expect(claimed.map(({ sequence }) => sequence)).toStrictEqual(sequences(1));
  });

  describe('of which a delivery is being attempted', () => {
    const outcome = { attempted_at: new Date().toISOString(), next_attempt_at: null, response_status: 500, duration_ms: 1, error: null };
    const claimFirst = async (): Promise<ClaimedDelivery> => {
      await deliver(1, 'pending');
      const [claimed] = await new DeliveryQueue(world.pool).claim(new Map([[1, 1]]), 16, 60);
      if (!claimed) throw new Error('Nothing was claimed.');
      return claimed;
    };
    const first = async (): Promise<unknown> => (await world.pool.query('select * from ops.webhook_delivery where sequence = 1')).rows[0];

    it('does not start a second attempt beside it, and counts one that succeeds', async () => {
      const { delivery_id, holder } = await claimFirst();
      expect(await recover()).toBe(EVENTS);
      const others = await new DeliveryQueue(world.pool).claim(new Map([[1, 16]]), 16, 60);
      expect(others.map((each) => each.delivery_id)).not.toContain(delivery_id);
      await new DeliveryQueue(world.pool).record([{ ...outcome, delivery_id, holder, status: 'delivered', response_status: 200 }]);
      expect(await first()).toMatchObject({ status: 'delivered', attempt: 1, next_attempt_at: null, leased_until: null });
    });

    it.each(['failed', 'exhausted'] as const)('attempts it in its place if that attempt ends %s', async (status) => {
      const { delivery_id, holder } = await claimFirst();
      await recover();
      const due = (await queued())[0]?.due;
      await new DeliveryQueue(world.pool).record([{ ...outcome, delivery_id, holder, status }]);
      expect(await first()).toMatchObject({ status: 'pending', attempt: 0, next_attempt_at: due, leased_until: null });
      const [again] = await new DeliveryQueue(world.pool).claim(new Map([[1, 1]]), 16, 60);
      expect(again).toMatchObject({ delivery_id, attempt: 1 });
    });
  });

  it('leaves out other partners’ events, those without a consent or of erased farmers, and those not subscribed to', async () => {
    await list('rp-1', 101, 101, { partner_id: 'p2' });
    await list('rp-2', 102, 102);
    await list('rp-erased', 103, 103);
    await list(null, 104, 104, { partner_id: 'p1', type: 'account.low_balance' });
    expect(await recover()).toBe(EVENTS);
    await world.pool.query('truncate ops.webhook_delivery');
    await world.endpoint(1, '', { events: ['account.low_balance'] });
    expect(await recover()).toBe(1);
  });

  it('queues an erasure once for an endpoint that names it, if the partner is among its recipients, on the roster or not', async () => {
    for (const [sequence, rupaId] of [
      [110, 'rp-erased'],
      [111, 'rp-2'],
      [112, 'rp-1'],
    ] as const)
      await list(rupaId, sequence, sequence, { type: 'farmer.erased' });
    await world.pool.query("insert into ops.notification_recipient values ('p1', 110), ('p1', 111), ('p2', 112)");
    expect(await recover()).toBe(EVENTS);
    await world.endpoint(1, '', { events: ['farmer.erased'] });
    await world.pool.query('truncate ops.webhook_delivery');
    expect(await recover()).toBe(2);
    expect((await queued()).map(({ sequence }) => sequence)).toStrictEqual(['110', '111']);
    await world.pool.query('update ops.webhook_delivery set next_attempt_at = now()');
    const claimed = await new DeliveryQueue(world.pool).claim(new Map([[1, 2]]), 16, 60);
    expect(claimed.map(({ subscribed, consented, erased }) => [subscribed, consented, erased])).toStrictEqual(
      claimed.map(() => [true, true, false]),
    );
    expect(claimed).toHaveLength(2);
  });

  it('supersedes an earlier one, whose undelivered events it queues once, also those from before its time', async () => {
    await world.pool.query("update read.consent_roster set granted_at = now() - interval '2 hours'");
    await world.pool.query(`update ops.notification set recorded_at = now() - interval '1 hour' where sequence <= 10`);
    expect(await recover(90, new Date(Date.now() - 2 * 3_600_000).toISOString())).toBe(EVENTS);
    await world.pool.query(`update ops.webhook_delivery set status = 'delivered', next_attempt_at = null where sequence <= 5`);
    await world.pool.query(`update ops.webhook_delivery set status = 'failed', attempt = 1 where sequence = 6`);
    await list('rp-1', EVENTS + 1, EVENTS + 5);
    expect(await recover()).toBe(EVENTS - 5 + 5);
    const rows = (await queued()).filter(({ due }) => due !== null);
    expect(rows.map(({ sequence, attempt }) => [sequence, attempt])).toStrictEqual(sequences(6, EVENTS + 5).map((each) => [each, 0]));
    expect(rows.map(({ due }) => Date.parse(due ?? '') - Date.parse(rows[0]?.due ?? ''))).toStrictEqual(
      rows.map((_, index) => index * INTERVAL_MS),
    );
    expect(await world.statuses()).toStrictEqual({ delivered: 5, pending: EVENTS });
  });

  it('queues each event once, however many are requested at the same time', async () => {
    expect(await Promise.all(Array.from({ length: 8 }, () => recover()))).toStrictEqual(Array<number>(8).fill(EVENTS));
    expect((await queued()).map(({ sequence }) => sequence)).toStrictEqual(sequences(1));
  });

  it('tells the sender when its next delivery is due', async () => {
    const queue = new DeliveryQueue(world.pool);
    expect(await queue.nextRecoveryMs()).toBeUndefined();
    await recover();
    await world.pool.query(`update ops.webhook_delivery set next_attempt_at = next_attempt_at + interval '1 hour'`);
    expect(await queue.nextRecoveryMs()).toBeGreaterThan(3_500_000);
  });

  it('goes no further back than deliveries are kept', async () => {
    const since = new Date(Date.now() - 2 * 24 * 60 * 60_000).toISOString();
    await expect(recover(1, since)).rejects.toThrow('Validation');
    expect(await recover(3, since)).toBe(EVENTS);
  });
});
