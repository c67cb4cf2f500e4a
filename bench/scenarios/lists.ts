import { type Bench, type Scenario } from '../bench.js';
import { createPartner, type Partner, untilCaughtUp } from '../environment/calls.js';
import { importFarmers } from '../environment/farmers.js';
import { ENDPOINT_ID, fillLists, REPORTED_FARMER } from '../environment/large-partner.js';
import { type BenchService, startService } from '../environment/service-process.js';
import { type Figure } from '../report/figure.js';
import { number } from '../report/numbers.js';
import { percentile } from '../support/statistics.js';

const SECOND_MS = 1_000;
/** Calls of a list at the same time. */
const AT_ONCE = 30;
const LOOKUPS_PER_SECOND = 20;
const FARMERS = 200;

interface Timed {
  readonly ms: number;
  readonly status: number;
}

/** Measures the lists of a partner with a million rows in each table, and the lookups of another partner beside them. */
export const lists: Scenario = {
  name: 'lists',
  description: 'the lists of a partner with a million rows in each table, 30 at once, and the lookups of another beside them',
  run: async (bench) => {
    await bench.closeEnvironment();
    const rows = bench.size(1_000_000, 50_000);
    const service = await startService(bench.cleanUp);
    const ids = await importFarmers(bench.cleanUp, service.dataDir, FARMERS);
    const [large, other] = [await createPartner(service, 'Large'), await createPartner(service, 'Other')];
    await untilCaughtUp(service);
    bench.say(`filling the tables with ${rows} rows of one partner`);
    await fillLists(service.stores, large, rows);
    const figures: Figure[] = [];
    for (const [name, path] of await pathsOf(service, large)) {
      const timed = await bench.measure(() => underLoad(service, large, [path], bench.size(5, 2) * SECOND_MS));
      figures.push(...figuresOf(bench, `list: ${name}, ${AT_ONCE} at once`, timed));
    }
    const seconds = bench.size(20, 4);
    for (const round of ['warm-up', 'alone']) {
      const alone = await bench.measure(() => lookUpEvenly(service, other, ids, seconds));
      if (round === 'alone') figures.push(...figuresOf(bench, 'lookups without lists beside them', alone));
    }
    const paths = (await pathsOf(service, large)).map(([, path]) => path);
    const [beside] = await bench.measure(() =>
      Promise.all([lookUpEvenly(service, other, ids, seconds), underLoad(service, large, paths, seconds * SECOND_MS)]),
    );
    figures.push(...figuresOf(bench, `lookups beside ${AT_ONCE} lists at once`, beside));
    await service.stop();
    return { figures, notes: ['the rows of the partner are only in the tables that lists read, and not in the log'] };
  },
};

function figuresOf(bench: Bench, label: string, timed: readonly Timed[]): Figure[] {
  const times = timed.map(({ ms }) => ms);
  const failed = timed.filter(({ status }) => status !== 200);
  if (failed.length > 0)
    throw new Error(`${label}: ${failed.length} of ${timed.length} calls failed, the first with ${failed[0]?.status}.`);
  const [p50, p99] = [percentile(times, 0.5), percentile(times, 0.99)];
  bench.say(`${label}: ${timed.length} calls, p50 ${number(p50)} ms, p99 ${number(p99)} ms`);
  return [['p50', p50] as const, ['p99', p99] as const].map(([name, ms]) => ({
    label: `${label}: ${name}`,
    baseline: '',
    unit: 'ms',
    ours: [ms],
    theirs: [],
  }));
}

/** Returns the name and the path of each list: its first page, and those of its filters. */
async function pathsOf(service: BenchService, partner: Partner): Promise<readonly (readonly [name: string, path: string])[]> {
  const deep = async (path: string): Promise<string> => {
    let cursor = '';
    for (let page = 0; page < 20; page += 1)
      cursor = await nextCursor(service, partner, `${path}?limit=100&cursor=${cursor}`.replace(/&cursor=$/, ''));
    return `${path}?cursor=${cursor}`;
  };
  return [
    ['events', '/v1/rupa/events'],
    ['events of a type', '/v1/rupa/events?type=farmer.loan_added'],
    ['events of a farmer', `/v1/rupa/events?rupa_id=${REPORTED_FARMER}`],
    ['consents', '/v1/rupa/consents?limit=50'],
    ['consents, page 20', await deep('/v1/rupa/consents')],
    ['contributions', '/v1/rupa/contributions'],
    ['contributions, page 20', await deep('/v1/rupa/contributions')],
    ['contributions with a reference', '/v1/rupa/contributions?partner_reference=same'],
    ['lookups', '/v1/rupa/lookups'],
    ['lookups, page 20', await deep('/v1/rupa/lookups')],
    ['lookups of a request', '/v1/rupa/lookups?request_id=same'],
    ['webhooks', '/v1/rupa/webhooks'],
    ['deliveries', `/v1/rupa/webhooks/${ENDPOINT_ID}/deliveries`],
    ['deliveries, page 20', await deep(`/v1/rupa/webhooks/${ENDPOINT_ID}/deliveries`)],
  ];
}

async function nextCursor({ url }: BenchService, { key }: Partner, path: string): Promise<string> {
  const response = await fetch(`${url}${path}`, { headers: { 'X-API-KEY': key } });
  const { data } = (await response.json()) as { data: { next_cursor?: string | null } };
  if (!data.next_cursor) throw new Error(`${path} got status ${response.status} and no further page.`);
  return data.next_cursor;
}

async function timed(call: () => Promise<Response>): Promise<Timed> {
  const begun = performance.now();
  const response = await call();
  await response.arrayBuffer();
  return { ms: performance.now() - begun, status: response.status };
}

/** Calls the paths in turn, `AT_ONCE` at a time. */
async function underLoad({ url }: BenchService, { key }: Partner, paths: readonly string[], ms: number): Promise<Timed[]> {
  const results: Timed[] = [];
  const end = performance.now() + ms;
  const caller = async (first: number): Promise<void> => {
    for (let turn = first; performance.now() < end; turn += 1)
      results.push(await timed(() => fetch(`${url}${paths[turn % paths.length] ?? ''}`, { headers: { 'X-API-KEY': key } })));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => caller(index)));
  return results;
}

/** Makes lookups at equal intervals, whether or not earlier ones have got their responses. */
async function lookUpEvenly({ url }: BenchService, { key }: Partner, ids: readonly string[], seconds: number): Promise<Timed[]> {
  const calls: Promise<Timed>[] = [];
  const headers = { 'X-API-KEY': key, 'Content-Type': 'application/json' };
  for (let made = 0; made < seconds * LOOKUPS_PER_SECOND; made += 1) {
    const body = JSON.stringify({ rupa_id: ids[made % ids.length] });
    calls.push(timed(() => fetch(`${url}/v1/rupa/lookup`, { method: 'POST', headers, body })));
    await new Promise((resolve) => setTimeout(resolve, SECOND_MS / LOOKUPS_PER_SECOND));
  }
  return await Promise.all(calls);
}
