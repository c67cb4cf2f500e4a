import { describe, expect, it } from '@jest/globals';
import { type FastifyReply } from 'fastify';
import { Registry } from 'prom-client';
import { type SentResponse } from '../../../http/observe-requests.js';
import { headOf, listPayload, type LookupOutcome, piecesOf } from './lookup-payload.js';
import { LookupMetrics, noteCounts } from './lookup-metrics.js';

const found = (n: number): LookupOutcome => ({ kind: 'found', lookup_id: `l${n}`, amount_kobo: 50_25, json: `{"n":${n}}` });
const billed = {
  outcomes: [found(1), { kind: 'not_found' }, { kind: 'not_charged' }, { kind: 'failed', code: 'unavailable' }, found(2)],
} as const;
const ids = { rupa_ids: ['a', 'b', 'c', 'd', 'e'], asked: ['e', 'a', 'b', 'c', 'd', 'a'] };
const head = headOf(billed, 10_00);

describe('the payload of a list', () => {
  it('has a result at each place, and counts places but sums what was charged', () => {
    const { json, counts } = listPayload(head, piecesOf(billed), ids);
    const { results, summary } = JSON.parse(json) as { results: object[]; summary: object };
    expect(results).toMatchObject([
      { rupa_id: 'e', outcome: 'found', lookup: { n: 2 } },
      { rupa_id: 'a', outcome: 'found', lookup: { n: 1 } },
      { rupa_id: 'b', outcome: 'not_found', code: 'farmer_not_found' },
      { rupa_id: 'c', outcome: 'not_charged', code: 'insufficient_balance' },
      { rupa_id: 'd', outcome: 'failed', code: 'unavailable' },
      { rupa_id: 'a', outcome: 'found', lookup: { n: 1 } },
    ]);
    expect(counts).toStrictEqual({ found: 3, not_found: 1, not_charged: 1, failed: 1 });
    expect(summary).toStrictEqual({ requested: 6, ...counts, amount_charged: 100.5, wallet_balance: 10, currency: 'NGN' });
  });

  it('says of a farmer whose piece is gone that nobody has the id, as of any other', () => {
    const { json, counts } = listPayload(head, new Map([[4, '{"n":2}']]), ids);
    const { results } = JSON.parse(json) as { results: object[] };
    expect(results[1]).toStrictEqual({ ...results[2], rupa_id: 'a' });
    expect(counts).toMatchObject({ found: 1, not_found: 3 });
  });
});

describe('the metrics of lookups', () => {
  it.each([
    ['billed', false],
    ['replayed', true],
  ] as const)('count each lookup of a list that is %s', async (label, isReplayed) => {
    const registry = new Registry();
    const metrics = new LookupMetrics(registry);
    const reply = { hasHeader: () => isReplayed };
    const counts = { found: 3, not_found: 2, not_charged: 1, failed: 0 };
    noteCounts(reply as unknown as FastifyReply, counts);
    const request = { method: 'POST', headers: {}, body: {}, partner: { mode: 'live' } };
    metrics.count({ route: '/v1/rupa/lookups', status: 200, request, reply } as unknown as SentResponse);
    metrics.count({ route: '/v1/rupa/lookups', status: 402, request, reply } as unknown as SentResponse);
    const [{ values } = { values: [] }] = (await registry.getMetricsAsJSON()) as unknown as {
      values: { value: number; labels: { outcome: string } }[];
    }[];
    const counted = values.filter(({ value }) => value > 0).map(({ value, labels: { outcome } }) => `${outcome} ${value}`);
    expect(counted.sort()).toStrictEqual(
      isReplayed
        ? ['farmer_unknown 2', 'insufficient_balance 1', 'replayed 4']
        : [`${label} 3`, 'farmer_unknown 2', 'insufficient_balance 2'].sort(),
    );
  });
});
