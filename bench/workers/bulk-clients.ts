import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { any, linesOf, reportAbout } from '../load/drawn-calls.js';
import { percentile } from '../support/statistics.js';

// Sends lookups or reports, one or many in a call, for some seconds, and prints what the clients saw as JSON. Fails if a call does not get a 200
// with every item done.

/** The load as the clients saw it; the calls that were begun in its seconds. */
export interface BulkLoad {
  readonly seconds: number;
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly bytesPerCall: number;
}

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: '' },
    kind: { type: 'string', default: 'lookup' },
    keys: { type: 'string', default: '' },
    ids: { type: 'string', default: '' },
    // Farmers or reports of a call; 1 makes single calls.
    items: { type: 'string', default: '1' },
    connections: { type: 'string', default: '16' },
    seconds: { type: 'string', default: '5' },
    // Calls per second that are begun whether or not earlier ones have ended; 0 begins one whenever a connection is free.
    rate: { type: 'string', default: '0' },
  },
});
const [keys, ids] = [linesOf(values.keys), linesOf(values.ids)];
const [items, connections, seconds, rate] = [values.items, values.connections, values.seconds, values.rate].map(Number) as [
  number,
  number,
  number,
  number,
];
const api = new Pool(values.url, { connections, pipelining: 1 });
const isLookup = values.kind === 'lookup';
const path = `/v1/rupa/${values.kind}${items > 1 ? 's' : ''}`;
/** The end of a list's response if every item was done. */
const allDone = isLookup ? `"found":${items},` : `"created":${items},`;
const latencies: number[] = [];
let bytes = 0;

const startedAt = performance.now();
const isOver = (): boolean => performance.now() - startedAt >= seconds * 1_000;
await (rate > 0 ? openLoop() : Promise.all(Array.from({ length: connections }, (_, connection) => closedLoop(keysOf(connection)))));
const load: BulkLoad = {
  seconds: (performance.now() - startedAt) / 1_000,
  calls: latencies.length,
  p50Ms: percentile(latencies, 0.5),
  p99Ms: percentile(latencies, 0.99),
  bytesPerCall: bytes / latencies.length,
};
process.stdout.write(JSON.stringify(load));
await api.close();

/** Returns the keys of a connection. No key has two connections unless there are fewer keys, so that no account has too many lists running. */
function keysOf(connection: number): readonly string[] {
  const own = keys.filter((_, index) => index % connections === connection);
  return own.length > 0 ? own : [keys[connection % keys.length] ?? ''];
}

async function closedLoop(own: readonly string[]): Promise<void> {
  while (!isOver()) await call(any(own));
}

async function openLoop(): Promise<void> {
  const begun: Promise<void>[] = [];
  for (let count = 0; !isOver(); count += 1) {
    begun.push(call(any(keys)));
    await delay(Math.max(0, startedAt + ((count + 1) * 1_000) / rate - performance.now()));
  }
  await Promise.all(begun);
}

async function call(key: string): Promise<void> {
  const body = isLookup ? lookups() : reports();
  const sentAt = performance.now();
  const response = await api.request({
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/json', 'X-API-KEY': key },
    body,
  });
  const received = Buffer.from(await response.body.arrayBuffer());
  latencies.push(performance.now() - sentAt);
  bytes += received.length;
  if (response.statusCode === 200 && (items === 1 || received.subarray(-300).includes(allDone))) return;
  throw new Error(`POST ${path} got status ${response.statusCode}: ${received.subarray(-300).toString()}`);
}

function lookups(): string {
  return JSON.stringify(items === 1 ? { rupa_id: any(ids) } : { rupa_ids: different() });
}

/** Returns as many different ids as a call has items: neighbours in the file, from a random place on. */
function different(): string[] {
  const first = Math.floor(Math.random() * ids.length);
  return Array.from({ length: items }, (_, index) => ids[(first + index) % ids.length] ?? '');
}

function reports(): string {
  const made = Array.from({ length: items }, () => reportAbout(any(ids)));
  return JSON.stringify(items === 1 ? made[0] : { reports: made });
}
