import { EventStoreDBClient, excludeSystemEvents, START } from '@eventstore/db-client';
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { projections } from '../../projections/index.js';
import { createPool } from '../../src/platform/database/pool.js';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { Codec } from '../../src/platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { DataKeys } from '../../src/platform/key-store/data-keys.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { withRebuildLock, rebuild } from '../../src/platform/projecting/rebuilding/rebuild.js';
import { RowMacs } from '../../src/platform/projecting/row-macs.js';
import { type StoreAddresses } from '../../src/stores/stores.js';

// Reads a whole log, and either does nothing with the events or rebuilds all read models. Prints the number of events and the seconds.

const SCHEMA = 'read';
const POOL_SIZE = 8;
const HIGH_WATER_MARK = 2_000;

const { values } = parseArgs({ options: { task: { type: 'string' } } });
const { eventStoreUrl, databaseUrl, masterKey } = JSON.parse(process.env.BENCH_STORES ?? '{}') as StoreAddresses;
const eventStore = new EventStore(eventStoreUrl, { stallTimeoutMs: 60_000 });
process.stdout.write(`${JSON.stringify(values.task === 'rebuild' ? await rebuildAll() : await readAll())}\n`);
process.exit(0);

interface Replayed {
  readonly events: number;
  readonly seconds: number;
}

async function rebuildAll(): Promise<Replayed> {
  const pool = createPool(databaseUrl, POOL_SIZE, () => undefined);
  const masterKeys = MasterKeys.parse(masterKey);
  const codec = new Codec(eventCatalogue, new DataKeys(pool, masterKeys));
  const parts = { pool, eventStore, codec, macs: new RowMacs(masterKeys) };
  const began = performance.now();
  // In the first round the tables do not exist yet; building them is the same work as rebuilding them.
  const { events } = await withRebuildLock(parts, () => rebuild(parts, projections, SCHEMA));
  return { events, seconds: (performance.now() - began) / 1_000 };
}

/** Reads with the client only, in its cheapest way. */
async function readAll(): Promise<Replayed> {
  const head = await eventStore.headPosition();
  const began = performance.now();
  const client = EventStoreDBClient.connectionString(eventStoreUrl);
  const subscription = client.subscribeToAll({ fromPosition: START, filter: excludeSystemEvents() }, { highWaterMark: HIGH_WATER_MARK });
  let events = 0;
  for (let position = -1n; head !== undefined && position < head;) {
    const resolved = subscription.read() as { event?: { position: { commit: bigint } } } | null;
    if (resolved === null) await once(subscription, 'readable');
    else if (resolved.event) {
      events += 1;
      position = resolved.event.position.commit;
    }
  }
  return { events, seconds: (performance.now() - began) / 1_000 };
}
