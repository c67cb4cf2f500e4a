import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DeliveryWorld } from '../support/delivery-world.js';
import { BEGINNING_MS } from '../support/hooks.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { until } from '../support/until.js';

describe('the time limit of an attempt', () => {
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

  it('is recorded as a timeout at the last attempt; a response that has begun in time counts as it began', async () => {
    const silent = await startReceiver(() => undefined);
    const endless = await startReceiver((_request, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 50);
      response.on('close', () => {
        clearInterval(timer);
      });
    });
    receivers.push(silent, endless);
    await world.endpoint(1, silent.url);
    await world.endpoint(2, endless.url);
    await world.deliveries(1, [1, 2]);
    world.send({ timeoutMs: BEGINNING_MS, retryScheduleSeconds: [0, 0.05] });
    await until(async () => {
      const { exhausted = 0, delivered = 0 } = await world.statuses();
      return exhausted + delivered === 2;
    });
    const { rows } = await world.pool.query(
      'select endpoint_id, status, attempt, error, response_status, next_attempt_at from ops.webhook_delivery order by endpoint_id',
    );
    const ended = { next_attempt_at: null };
    expect(rows).toStrictEqual([
      { endpoint_id: 1, status: 'exhausted', attempt: 2, error: 'timeout', response_status: null, ...ended },
      // A response that a busy machine begins too late is asked for again.
      { endpoint_id: 2, status: 'delivered', attempt: endless.received.length, error: null, response_status: 200, ...ended },
    ]);
    expect(silent.received).toHaveLength(2);
  });
});
