import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { any, linesOf } from '../load/drawn-calls.js';
import { percentile } from '../support/statistics.js';

// Sends lookups to several APIs as a load balancer would distribute them, for some seconds, and prints what the clients saw as JSON.

/** The load as the clients saw it: `served` has the successful responses of each API, `failed` the number of other responses by status. */
export interface BalancedLoad {
  readonly seconds: number;
  readonly served: readonly number[];
  readonly failed: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const { values } = parseArgs({
  options: {
    urls: { type: 'string', default: '' },
    balance: { type: 'string', default: 'round-robin' },
    keys: { type: 'string', default: '' },
    ids: { type: 'string', default: '' },
    connections: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '5' },
    // Lookups per second that are begun whether or not earlier ones have ended; 0 begins one whenever a connection is free.
    rate: { type: 'string', default: '0' },
  },
});
const [keys, ids] = [linesOf(values.keys), linesOf(values.ids)];
const [connections, seconds, rate] = [Number(values.connections), Number(values.seconds), Number(values.rate)];
const apis = values.urls.split(',').map((url) => new Pool(url, { connections, pipelining: 1 }));
const served = apis.map(() => 0);
const failed: Record<string, number> = {};
const latencies: number[] = [];
let turn = 0;

const startedAt = performance.now();
const isOver = (): boolean => performance.now() - startedAt >= seconds * 1_000;
await (rate > 0 ? openLoop() : Promise.all(Array.from({ length: connections }, closedLoop)));
const took = (performance.now() - startedAt) / 1_000;
const load: BalancedLoad = { seconds: took, served, failed, p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) };
process.stdout.write(JSON.stringify(load));
await Promise.all(apis.map((api) => api.close()));

async function closedLoop(): Promise<void> {
  while (!isOver()) await lookUp();
}

async function openLoop(): Promise<void> {
  const begun: Promise<void>[] = [];
  for (let count = 0; !isOver(); count += 1) {
    begun.push(lookUp());
    const dueIn = startedAt + ((count + 1) * 1_000) / rate - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueIn)));
  }
  await Promise.all(begun);
}

async function lookUp(): Promise<void> {
  const key = any(keys);
  const index = values.balance === 'hash' ? hashOf(key) % apis.length : (turn += 1) % apis.length;
  const sentAt = performance.now();
  const response = await apis[index]?.request({
    method: 'POST',
    path: '/v1/rupa/lookup',
    headers: { 'Content-Type': 'application/json', 'X-API-KEY': key },
    body: JSON.stringify({ rupa_id: any(ids) }),
  });
  await response?.body.dump();
  const status = response?.statusCode ?? 0;
  if (status === 200) {
    served[index] = (served[index] ?? 0) + 1;
    latencies.push(performance.now() - sentAt);
  } else failed[status] = (failed[status] ?? 0) + 1;
}

/** FNV-1a, as load balancers use such hashes: fast and evenly spread. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
