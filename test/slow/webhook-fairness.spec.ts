import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { DeliveryQueue } from '../../src/contexts/webhooks/delivering/delivery-queue.js';
import { DeliveryWorld } from '../support/delivery-world.js';
import { type Receiver, startReceiver } from '../support/receiver.js';
import { until } from '../support/until.js';

interface PlanNode {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Returns how many rows of a table the nodes of a plan have read. */
function rowsRead(node: PlanNode, table: string): number {
  const own = ((node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0)) * (node['Actual Loops'] ?? 0);
  return (node['Relation Name'] === table ? own : 0) + (node.Plans ?? []).reduce((sum, child) => sum + rowsRead(child, table), 0);
}

describe('deliveries of many partners', () => {
  let world: DeliveryWorld;
  const receivers: Receiver[] = [];

  beforeEach(async () => {
    world = await DeliveryWorld.create();
  });
  afterEach(async () => {
    await world.close();
    await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
  });

  const receive = async (response: Receiver['response']): Promise<Receiver> => {
    const receiver = await startReceiver(response);
    receivers.push(receiver);
    return receiver;
  };
  /** Registers endpoints for a partner with a consent for rp-1, and returns their ids. */
  const register = async (partner_id: string, url: string, firstId: number, count: number): Promise<number[]> => {
    const ids = Array.from({ length: count }, (_, index) => firstId + index);
    for (const id of ids) await world.endpoint(id, url, { partner_id });
    await world.consent('rp-1', partner_id);
    return ids;
  };

  it.each([
    ['never respond', 0],
    ['stop responding', 1],
  ])('arrive while the endpoints of other partners %s', async (_, responses) => {
    const [partners, perPartner, each] = [20, 15, 20];
    const hanging = await receive((_request, response) => {
      if (hanging.received.length <= partners * perPartner * responses) response.writeHead(200).end();
    });
    const quick = await receive(200);
    const dead = new Map<string, number[]>();
    for (let n = 0; n < partners; n += 1) dead.set(`p${n}`, await register(`p${n}`, hanging.url, 1 + n * perPartner, perPartner));
    const good = await register('good', quick.url, 10_000, 1);
    world.send({ timeoutMs: 60_000 });
    for (const [partner, ids] of dead) await world.deliveries(responses, ids, 'rp-1', partner);
    await until(() => hanging.received.length === partners * perPartner * responses);
    for (const [partner, ids] of dead) await world.deliveries(each, ids, 'rp-1', partner);
    await world.deliveries(100, good, 'rp-1', 'good');
    await until(() => quick.received.length === 100);
    // A request that has just arrived, or whose response has just been sent, is counted a moment later.
    await until(() => hanging.open.now > 0 && hanging.open.now === hanging.received.length - partners * perPartner * responses);
  });

  it('are claimed for the chosen endpoints only, longest due first, and no more than were chosen', async () => {
    await register('p1', 'http://127.0.0.1:1', 1, 3);
    await world.deliveries(5, [1, 2, 3]);
    await world.pool.query("update ops.webhook_delivery set next_attempt_at = now() - contribution_id * interval '1 second'");
    const queue = new DeliveryQueue(world.pool);
    expect((await queue.dueEndpoints()).map(({ endpoint_id }) => endpoint_id).sort()).toStrictEqual([1, 2, 3]);
    const claimed = async (): Promise<unknown[]> =>
      (
        await queue.claim(
          new Map([
            [1, 1],
            [3, 2],
          ]),
          16,
          30,
        )
      )
        .map(({ endpoint_id, contribution_id }) => [endpoint_id, contribution_id])
        .sort();
    expect(await claimed()).toStrictEqual([[1, 5], [3, 4], [3, 5]]); // prettier-ignore
    expect(await claimed()).toStrictEqual([[1, 4], [3, 2], [3, 3]]); // prettier-ignore
  });

  it('are found by statements that read a bounded number of them, however many are due', async () => {
    const endpoints = 50;
    await register('p1', 'http://127.0.0.1:1', 1, endpoints);
    await world.deliveries(
      400,
      Array.from({ length: endpoints }, (_, index) => index + 1),
    );
    const read: number[] = [];
    const explaining = {
      query: async (sql: string, parameters?: unknown[]) => {
        const { rows } = await world.pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
          `explain (analyze, format json) ${sql}`,
          parameters,
        );
        read.push(rowsRead(rows[0]?.['QUERY PLAN'][0].Plan ?? {}, 'webhook_delivery'));
        return { rows: [] };
      },
    };
    const queue = new DeliveryQueue(explaining as unknown as Pool);
    await queue.dueEndpoints();
    for (let round = 0; round < 3; round += 1)
      await queue.claim(new Map(Array.from({ length: endpoints }, (_, index) => [index + 1, 4])), 16, 30);
    const [survey = 0, ...claims] = read;
    expect(survey).toBe(endpoints);
    // The first due deliveries of an endpoint, those chosen among them, and those claimed.
    expect(Math.max(...claims)).toBeLessThanOrEqual(endpoints * (16 + 8 + 4) + endpoints * 4);
  });
});
