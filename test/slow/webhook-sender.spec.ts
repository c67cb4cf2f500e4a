import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { DeliveryQueue, type Outcome } from '../../src/contexts/webhooks/delivering/delivery-queue.js';
import { traceparentOf } from '../../src/contexts/webhooks/delivering/delivery-sender.js';
import { deleteOldDeliveries } from '../../src/contexts/webhooks/delivering/old-deliveries.js';
import { DeliveryWorld } from '../support/delivery-world.js';
import { type ReceiverResponse, type Receiver, startReceiver } from '../support/receiver.js';
import { until } from '../support/until.js';

const DAY_MS = 86_400_000;
/** Everything that jest would fake besides the clock. */
const TIMERS = [
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
  'setTimeout',
  'clearTimeout',
] as const;

describe('senders', () => {
  let world: DeliveryWorld;
  const receivers: Receiver[] = [];

  beforeEach(async () => {
    world = await DeliveryWorld.create();
    await world.consent('rp-1');
  });
  afterEach(async () => {
    await world.close();
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  });

  const receive = async (response?: ReceiverResponse): Promise<Receiver> => {
    const receiver = await startReceiver(response);
    receivers.push(receiver);
    return receiver;
  };
  const leasesRunOut = (): Promise<unknown> =>
    world.pool.query("update ops.webhook_delivery set leased_until = now() - interval '1 second' where leased_until is not null");

  it('deliver ten thousand notifications concurrently, each at least once, and record each outcome once', async () => {
    const receiver = await receive();
    const endpoints = Array.from({ length: 50 }, (_, index) => index + 1);
    for (const id of endpoints) await world.endpoint(id, receiver.url);
    await world.deliveries(200, endpoints);
    const recorded = new Map<number, number>();
    class CountingQueue extends DeliveryQueue {
      override async record(outcomes: readonly Outcome[]): Promise<void> {
        for (const { delivery_id } of outcomes) recorded.set(delivery_id, (recorded.get(delivery_id) ?? 0) + 1);
        await super.record(outcomes);
      }
    }
    const senders = [
      world.send({ timeoutMs: 60_000 }, new CountingQueue(world.pool)),
      world.send({ timeoutMs: 60_000 }, new CountingQueue(world.pool)),
    ];
    expect(senders).toHaveLength(2);
    await until(async () => (await world.statuses()).delivered === 10_000);
    expect(recorded.size).toBe(10_000);
    expect([...recorded.values()].every((times) => times === 1)).toBe(true);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(10_000);
    const { rows } = await world.pool.query<{ most: number }>('select max(attempt) as most from ops.webhook_delivery');
    expect(rows[0]?.most).toBe(1);
  });

  it('deliver again, with the same id, when a sender was killed between the post and its record', async () => {
    const receiver = await receive();
    await world.endpoint(1, receiver.url);
    await world.deliveries(1, [1]);
    class DyingQueue extends DeliveryQueue {
      override record(): Promise<void> {
        return new Promise(() => undefined);
      }
    }
    world.send({}, new DyingQueue(world.pool));
    await until(() => receiver.received.length === 1);
    await leasesRunOut();
    world.send();
    await until(async () => (await world.statuses()).delivered === 1);
    expect(receiver.received.map(({ body }) => body)).toStrictEqual([receiver.received[0]?.body, receiver.received[0]?.body]);
  });

  it('leave the record to the sender that took the delivery over', async () => {
    const receiver = await receive(500);
    await world.endpoint(1, receiver.url);
    await world.deliveries(1, [1]);
    const queue = new DeliveryQueue(world.pool);
    const [slow] = await queue.claim(new Map([[1, 1]]), 1, 30);
    await leasesRunOut();
    const [taken] = await queue.claim(new Map([[1, 1]]), 1, 30);
    const outcome = { attempted_at: new Date().toISOString(), next_attempt_at: null, response_status: 200, duration_ms: 1, error: null };
    await queue.record([{ ...outcome, delivery_id: slow?.delivery_id ?? 0, holder: slow?.holder ?? '', status: 'exhausted' }]);
    expect(await world.statuses()).toStrictEqual({ pending: 1 });
    await queue.record([{ ...outcome, delivery_id: taken?.delivery_id ?? 0, holder: taken?.holder ?? '', status: 'delivered' }]);
    expect(await world.statuses()).toStrictEqual({ delivered: 1 });
  });

  it('are not blocked by a receiver that hangs, and make one attempt at a time to it', async () => {
    const [hanging, quick] = [await receive(() => undefined), await receive()];
    await world.endpoint(1, hanging.url);
    await world.endpoint(2, quick.url);
    await world.deliveries(500, [1]);
    await world.deliveries(500, [2]);
    world.send({ timeoutMs: 60_000 });
    await until(() => quick.received.length === 500);
    expect(hanging.received).toHaveLength(1);
  });

  it('share the limit of concurrent deliveries to an endpoint, however many claim at once', async () => {
    await world.endpoint(1, 'http://127.0.0.1:1');
    await world.deliveries(100, [1]);
    const queue = new DeliveryQueue(world.pool);
    const claimed = (await Promise.all(Array.from({ length: 8 }, () => queue.claim(new Map([[1, 10]]), 16, 30)))).flat();
    claimed.push(...(await queue.claim(new Map([[1, 100]]), 16, 30)));
    expect(new Set(claimed.map(({ delivery_id }) => delivery_id)).size).toBe(16);
    expect(claimed).toHaveLength(16);
    await queue.release(claimed.slice(0, 3));
    const again = await queue.claim(new Map([[1, 100]]), 16, 30);
    expect(new Map(again.map(({ delivery_id, attempt }) => [delivery_id, attempt]))).toStrictEqual(
      new Map(claimed.slice(0, 3).map(({ delivery_id }) => [delivery_id, 2])),
    );
  });

  it('find deliveries to claim while another sender holds locks', async () => {
    const endpoints = Array.from({ length: 20 }, (_, index) => index + 1);
    for (const id of endpoints) await world.endpoint(id, 'http://127.0.0.1:1');
    await world.deliveries(10, endpoints);
    const other = await world.pool.connect();
    await other.query('begin');
    await other.query('select from ops.webhook_delivery where contribution_id <= 2 for update');
    const claimed = await new DeliveryQueue(world.pool).claim(new Map(endpoints.map((id) => [id, 2])), 16, 30);
    expect(claimed.map(({ endpoint_id, contribution_id }) => [endpoint_id, contribution_id]).sort()).toStrictEqual(
      endpoints.flatMap((id) => [3, 4].map((contribution) => [id, contribution])).sort(),
    );
    await other.query('rollback');
    other.release();
  });

  it('cancel deliveries that are no longer wanted', async () => {
    const receiver = await receive();
    await world.endpoint(1, receiver.url);
    await world.endpoint(2, receiver.url, { events: ['farmer.claim_filed'] });
    await world.endpoint(3, receiver.url, { status: 'deleted' });
    await world.deliveries(1, [1], 'rp-released');
    await world.deliveries(1, [2, 3]);
    await world.endpoint(4, receiver.url);
    await world.consent('rp-erased');
    await world.pool.query("insert into read.erased_farmer (rupa_id, erased_at, position) values ('rp-erased', now(), 9)");
    await world.deliveries(1, [4], 'rp-erased');
    world.send();
    await until(async () => (await world.statuses()).cancelled === 4);
    const { rows } = await world.pool.query(
      'select endpoint_id, error, attempt, attempted_at from ops.webhook_delivery order by endpoint_id',
    );
    expect(rows).toStrictEqual([
      { endpoint_id: 1, error: 'consent_released', attempt: 0, attempted_at: null },
      { endpoint_id: 2, error: 'unsubscribed', attempt: 0, attempted_at: null },
      { endpoint_id: 3, error: 'endpoint_deleted', attempt: 0, attempted_at: null },
      { endpoint_id: 4, error: 'farmer_erased', attempt: 0, attempted_at: null },
    ]);
    expect(receiver.received).toHaveLength(0);
  });

  it('disable an endpoint only after days without a success', async () => {
    const statuses = [500, 200];
    const [mixed, failing] = [await receive((_request, response) => response.writeHead(statuses.shift() ?? 500).end()), await receive(500)];
    await world.endpoint(1, mixed.url);
    await world.endpoint(2, failing.url);
    const fiveDaysLater = async (): Promise<void> => {
      await world.pool.query("update ops.webhook_health set failing_since = failing_since - interval '5 days 1 second'");
    };
    world.send({ disableAfterSeconds: 5 * 86_400, retryScheduleSeconds: [0] });
    await world.deliveries(1, [1, 2]);
    await until(async () => (await world.statuses()).exhausted === 2);
    expect(world.disabled).toStrictEqual([]);
    await world.deliveries(1, [1]);
    await until(async () => (await world.statuses()).delivered === 1);
    await fiveDaysLater();
    await world.deliveries(1, [1, 2]);
    await until(async () => (await world.statuses()).exhausted === 4);
    await until(() => world.disabled.length > 0);
    expect(world.disabled).toStrictEqual([{ endpoint_id: 2, reason: 'failing' }]);
  });

  it('disable a failing endpoint at its next failure if they could not do so before, and then forget its failures', async () => {
    const failing = await receive(500);
    await world.endpoint(1, failing.url);
    world.disablingFails = 2;
    world.send({ disableAfterSeconds: 60, retryScheduleSeconds: [0] });
    for (let failures = 1; failures <= 4; failures += 1) {
      await world.deliveries(1, [1]);
      await until(async () => (await world.statuses()).exhausted === failures);
      const hourAgo = "update ops.webhook_health set failing_since = failing_since - interval '1 hour'";
      if (failures === 1) await until(async () => (await world.pool.query(hourAgo)).rowCount === 1);
    }
    await until(() => world.disabled.length > 0);
    expect([world.disablingFails, world.disabled]).toStrictEqual([0, [{ endpoint_id: 1, reason: 'failing' }]]);
    const failures = async (): Promise<number | null> => (await world.pool.query('select from ops.webhook_health')).rowCount;
    await until(async () => (await failures()) === 0);
    // A sender that is killed after it has disabled an endpoint leaves the row behind.
    await world.pool.query('insert into ops.webhook_health (endpoint_id, failing_since) values (1, now())');
    await new DeliveryQueue(world.pool).forgetHealthOfDisabled();
    expect(await failures()).toBe(0);
  });

  it('find the event of a delivery also after the database was switched to a copy of the log', async () => {
    await world.endpoint(1, 'https://example.com');
    await world.deliveries(1, [1]);
    const event_id = (await world.pool.query<{ event_id: string }>('select event_id from ops.webhook_delivery')).rows[0]?.event_id;
    await world.pool.query(
      "insert into ops.checkpoint (projection, version, reaction, sequence_offset) values ('webhook_deliveries', 1, true, 1000)",
    );
    await world.pool.query('update ops.webhook_delivery set sequence = 1007');
    const [delivery] = await new DeliveryQueue(world.pool).claim(new Map([[1, 1]]), 1, 30);
    if (!delivery) throw new Error('No delivery was claimed.');
    const log = (id: string | undefined) => (position: bigint) =>
      Promise.resolve(position === 7n && id !== undefined ? { id, metadata: { traceparent: 'the trace' } } : undefined);
    expect(await traceparentOf(delivery, log(event_id))).toBe('the trace');
    expect(await traceparentOf(delivery, log('another event'))).toBeUndefined();
    expect(await traceparentOf({ ...delivery, position: '-3' }, log(event_id))).toBeUndefined();
  });

  it('release unfinished deliveries when they stop', async () => {
    const [hanging, quick] = [await receive(() => undefined), await receive()];
    await world.endpoint(1, hanging.url);
    await world.deliveries(1, [1]);
    const { stop } = world.send({ timeoutMs: 60_000 });
    await until(() => hanging.received.length === 1);
    await stop();
    expect(await world.statuses()).toStrictEqual({ pending: 1 });
    await world.pool.query('update read.webhook_endpoint set url = $1', [quick.url]);
    world.send();
    await until(async () => (await world.statuses()).delivered === 1);
    expect(quick.received[0]?.body).toBe(hanging.received[0]?.body);
  });

  it.each([
    ['a day ahead', DAY_MS],
    ['a day behind', -DAY_MS],
  ])('retry on time if the clock of their process is %s, and sign with the time of the database', async (_how, skewMs) => {
    const receiver = await receive();
    receiver.response = (_request, response) => {
      response.writeHead(receiver.received.length < 3 ? 500 : 200).end();
    };
    await world.endpoint(1, receiver.url);
    await world.deliveries(1, [1]);
    jest.useFakeTimers({ now: Date.now() + skewMs, doNotFake: [...TIMERS] });
    try {
      world.send();
      await until(() => receiver.received.length === 3);
    } finally {
      jest.useRealTimers();
    }
    await until(async () => (await world.statuses()).delivered === 1);
    for (const { headers } of receiver.received)
      expect(Math.abs(Number(headers['webhook-timestamp']) * 1_000 - Date.now())).toBeLessThan(60_000);
  });

  it('make deliveries due again that the database planned while its clock was 400 days ahead', async () => {
    const receiver = await receive();
    await world.endpoint(1, receiver.url);
    await world.deliveries(2, [1]);
    const ahead = "now() + interval '400 days'";
    await world.pool.query(`update ops.webhook_delivery set next_attempt_at = ${ahead} where contribution_id = 1`);
    await world.pool.query(`update ops.webhook_delivery set holder = gen_random_uuid(), leased_until = ${ahead} where contribution_id = 2`);
    await world.pool.query(`insert into ops.webhook_health (endpoint_id, failing_since) values (1, ${ahead})`);
    await new DeliveryQueue(world.pool).correctTimesAhead();
    const { rows } = await world.pool.query('select failing_since <= now() as corrected from ops.webhook_health');
    expect(rows).toStrictEqual([{ corrected: true }]);
    world.send();
    await until(async () => (await world.statuses()).delivered === 2);
  });

  it('remove old completed deliveries, and nothing else', async () => {
    await world.deliveries(3, [1]);
    await world.pool.query("update ops.webhook_delivery set created_at = now() - interval '91 days'");
    await world.pool.query("update ops.webhook_delivery set status = 'delivered', next_attempt_at = null where contribution_id = 1");
    await world.pool.query(
      "update ops.webhook_delivery set status = 'exhausted', next_attempt_at = null, created_at = now() - interval '89 days' where contribution_id = 2",
    );
    await deleteOldDeliveries({ pool: world.pool, retentionDays: 90 });
    expect(await world.statuses()).toStrictEqual({ exhausted: 1, pending: 1 });
  });
});
