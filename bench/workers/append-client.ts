import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { emmett, ours, type Writer } from './writers.js';

// Appends or reads events and prints the events per second. Each round has a new process, so that memory of earlier rounds has no effect.

/** Events per append of the task `batches`. */
const BATCH = 100;
const CONCURRENT_APPENDS = 64;
const WARM_UP_SHARE = 0.5;
const READ_TIMES = 4;

const { values } = parseArgs({
  options: { side: { type: 'string' }, url: { type: 'string' }, task: { type: 'string' }, count: { type: 'string' } },
});
const { side, url = '', task = '', count = '0' } = values;
const writer = side === 'emmett' ? await emmett(url) : ours(url);
const work = tasks()[task];
if (!work) throw new Error(`There is no task "${task}". The tasks are ${Object.keys(tasks()).join(', ')}.`);
const perSecond = await work(writer, Number(count));
process.stdout.write(`${JSON.stringify({ perSecond })}\n`);
await writer.close();
process.exit(0);

function tasks(): Readonly<Record<string, (store: Writer, events: number) => Promise<number>>> {
  return {
    single: (store, events) => timed(events, (some) => oneAtATime(store, some)),
    parallel: (store, events) => timed(events, (some) => manyAtOnce(store, some)),
    batches: (store, events) => timed(events, (some) => inBatches(store, stream(), some)),
    read: reading,
  };
}

async function timed(events: number, append: (events: number) => Promise<unknown>): Promise<number> {
  await append(Math.ceil(events * WARM_UP_SHARE));
  const began = performance.now();
  await append(events);
  return events / ((performance.now() - began) / 1_000);
}

async function oneAtATime(store: Writer, events: number, name = stream()): Promise<void> {
  let revision = NO_EVENTS;
  for (let done = 0; done < events; done += 1) revision = await store.append(name, [event(done)], revision);
}

async function manyAtOnce(store: Writer, events: number): Promise<void> {
  await Promise.all(Array.from({ length: CONCURRENT_APPENDS }, () => oneAtATime(store, Math.ceil(events / CONCURRENT_APPENDS))));
}

async function inBatches(store: Writer, name: string, events: number): Promise<void> {
  let revision = NO_EVENTS;
  for (let done = 0; done < events; done += BATCH)
    revision = await store.append(
      name,
      Array.from({ length: BATCH }, (_, index) => event(done + index)),
      revision,
    );
}

async function reading(store: Writer, events: number): Promise<number> {
  const name = stream();
  await inBatches(store, name, events);
  await store.read(name);
  const began = performance.now();
  let read = 0;
  for (let time = 0; time < READ_TIMES; time += 1) read += await store.read(name);
  return read / ((performance.now() - began) / 1_000);
}

function stream(): string {
  return `bench-${randomUUID()}`;
}

/** Returns event data of the size of a charge. */
function event(number: number): object {
  return {
    recorded_at: '2026-01-01T00:00:00.000Z',
    actor: 'key:01234567',
    partner_id: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee',
    balance_after_kobo: 100_000_000_00 - number * 500_00,
    open_from_revision: number,
    lookup_id: randomUUID(),
    rupa_id: `rp-${number}`,
    source: 'loan',
    amount_kobo: 500_00,
    breakdown_kobo: {
      'svc_fee.identity': 50_00,
      'svc_fee.bvn_nin_data': 100_00,
      'svc_fee.credit_history': 150_00,
      'svc_fee.outstanding_loans': 100_00,
      'svc_fee.transaction_volume': 100_00,
    },
    price_book_version: 1,
    key_id: '01234567',
  };
}
