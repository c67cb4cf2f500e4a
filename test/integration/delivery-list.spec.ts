import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DeliveryFilter, GetDeliveries, GetDeliveriesHandler } from '../../src/contexts/webhooks/delivering/get-deliveries.query.js';
import { EndpointFinder } from '../../src/contexts/webhooks/endpoints/endpoint-finder.js';
import { type DeliveryStatus } from '../../src/contexts/webhooks/endpoints/webhook-responses.dto.js';
import { DeliveryWorld } from '../support/delivery-world.js';
import { anyRow } from '../support/row-macs.js';

const ROWS = 200;

describe('the list of an endpoint’s deliveries', () => {
  let world: DeliveryWorld;

  beforeAll(async () => {
    world = await DeliveryWorld.create();
    await world.endpoint(1, 'https://partner.example/');
    await world.endpoint(2, 'https://partner.example/');
    await world.consent('rp-1');
    await world.pool.query("insert into read.erased_farmer (rupa_id, position, erased_at) values ('rp-erased', 1, now())");
    // Seven rows share each time, which has microseconds. The ids rise while the times fall.
    await world.pool.query(
      `insert into ops.webhook_delivery (event_id, endpoint_id, partner_id, type, rupa_id, recorded_at, created_at, sequence, status, next_attempt_at, response_status, data)
       select gen_random_uuid(), e, 'p1', 'farmer.loan_added', (array['rp-1', 'rp-released', 'rp-erased', null])[1 + n % 4], now(),
         timestamptz '2026-03-02T00:00:00Z' - (n / 7) * interval '1 hour' + interval '1 microsecond', n,
         (array['pending', 'delivered', 'failed', 'exhausted', 'cancelled'])[1 + n % 5],
         case when n % 5 in (0, 2) then now() end, case when n % 5 in (1, 3) then 200 end, case when n = 5 then '{"test":true}'::json end
       from generate_series(1, $1::int) n, unnest('{1,2}'::int[]) e`,
      [ROWS],
    );
  });
  afterAll(() => world.close());

  const pages = async (filter: DeliveryFilter = {}, limit = 9): Promise<number[]> => {
    const handler = new GetDeliveriesHandler(world.pool, anyRow, new EndpointFinder(world.pool, anyRow));
    const ids: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await handler.execute(new GetDeliveries('p1', 1, limit, filter, cursor));
      ids.push(...page.deliveries.map(({ id }) => id));
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    return ids;
  };
  /** Returns the ids of those rows of the endpoint that match, in the order of the list. */
  const expected = async (condition: string): Promise<number[]> => {
    const { rows } = await world.pool.query<{ delivery_id: number }>(
      `select delivery_id from ops.webhook_delivery w where endpoint_id = 1 and ${condition} order by created_at desc, delivery_id desc`,
    );
    return rows.map(({ delivery_id }) => delivery_id);
  };

  it('has each delivery once, those that were queued last first', async () => {
    expect(await pages()).toStrictEqual(await expected('true'));
    expect(await pages()).toHaveLength(ROWS);
  });

  it.each<DeliveryStatus>(['pending', 'delivered', 'failed', 'exhausted', 'cancelled'])('has those that are %s', async (status) => {
    expect(await pages({ status })).toStrictEqual(await expected(`status = '${status}'`));
    expect(await pages({ status })).toHaveLength(ROWS / 5);
  });

  it('begins at the first moment of its period, and ends before the last', async () => {
    const [from, to] = ['2026-03-01T20:00:00.000001Z', '2026-03-01T22:00:00.000001Z'];
    expect(await pages({ from, to })).toStrictEqual(await expected(`created_at >= '${from}' and created_at < '${to}'`));
    expect(await pages({ from, to })).toHaveLength(14);
    expect(await pages({ from })).toStrictEqual(await expected(`created_at >= '${from}'`));
    expect(await pages({ to, status: 'failed' }, 1)).toStrictEqual(await expected(`created_at < '${to}' and status = 'failed'`));
    expect(await pages({ from: to, to: from })).toStrictEqual([]);
  });

  it('has those about a farmer with a consent', async () => {
    expect(await pages({ rupaId: 'rp-1' })).toStrictEqual(await expected("rupa_id = 'rp-1'"));
    expect(await pages({ rupaId: 'rp-1', status: 'exhausted' })).toStrictEqual(await expected("rupa_id = 'rp-1' and status = 'exhausted'"));
  });

  it('has those about a released farmer that the endpoint responded to or the partner asked for, and that of the erasure about an erased one', async () => {
    expect(await pages({ rupaId: 'rp-released' })).toStrictEqual(
      await expected("rupa_id = 'rp-released' and (response_status is not null or sequence = 5)"),
    );
    expect(await pages({ rupaId: 'rp-erased' })).toStrictEqual([]);
    await world.pool.query("update ops.webhook_delivery set type = 'farmer.erased' where rupa_id = 'rp-erased' and sequence < 100");
    const ofErasure = await expected("rupa_id = 'rp-erased' and type = 'farmer.erased'");
    expect(ofErasure.length).toBeGreaterThan(0);
    expect(await pages({ rupaId: 'rp-erased' })).toStrictEqual(ofErasure);
    expect(await pages({ rupaId: 'rp-nobody' })).toStrictEqual([]);
  });
});
