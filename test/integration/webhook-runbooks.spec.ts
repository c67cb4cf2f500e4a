import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DeliveryWorld } from '../support/delivery-world.js';
import { recipe } from '../support/recipes.js';

describe('the runbooks of webhook alerts in docs/alerts.md', () => {
  let world: DeliveryWorld;

  beforeEach(async () => {
    world = await DeliveryWorld.create();
    await world.endpoint(1, 'https://one.example/hook');
    await world.endpoint(2, 'https://two.example/hook', { partner_id: 'p2' });
    await world.deliveries(3, [1]);
    await world.deliveries(1, [2], 'rp-1', 'p2');
  });
  afterEach(() => world.close());

  const rows = async (name: string): Promise<object[]> => (await world.pool.query<object>(recipe('docs/alerts.md', name))).rows;
  const ended = async (endpoint: number, set: string): Promise<void> => {
    await world.pool.query(`update ops.webhook_delivery set ${set} where endpoint_id = $1`, [endpoint]);
  };

  it('name the partners, endpoints and errors of the deliveries that fail now', async () => {
    await ended(1, "status = 'failed', error = 'status_500', response_status = 500, attempted_at = now()");
    await ended(2, "status = 'failed', error = 'dns', attempted_at = now() - interval '2 hours'");
    expect(await rows('failing deliveries')).toStrictEqual([
      {
        partner_id: 'p1',
        endpoint_id: 1,
        url: 'https://one.example/hook',
        error: 'status_500',
        response_status: 500,
        count: 3,
        latest: expect.anything(),
      },
    ]);
  });

  it('name the partners whose deliveries were given up, and the deliveries', async () => {
    await ended(1, "status = 'exhausted', next_attempt_at = null, error = 'timeout', attempted_at = now()");
    await ended(2, "status = 'delivered', next_attempt_at = null, attempted_at = now()");
    expect(await rows('exhausted deliveries')).toStrictEqual([
      { partner_id: 'p1', endpoint_id: 1, url: 'https://one.example/hook', count: 3, first: 1, last: 3, error: 'timeout' },
    ]);
  });
});
