import { setTimeout as delay } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import pg from 'pg';
import { projections } from '../../projections/index.js';
import { connectionConfig, createPool } from '../database/pool.js';
import { eventCatalogue } from '../event-catalogue.js';
import { Codec } from '../event-sourcing/codec.js';
import { EventStore } from '../event-sourcing/event-store.js';
import { DataKeys } from '../key-store/data-keys.js';
import { MasterKeys } from '../key-store/master-keys.js';
import { createLogger } from '../logger.js';
import { Projector } from './projector.js';
import { type ProjectorThreadData } from './projector-thread.js';

const RETRY_DELAY_MS = 1_000;
const STANDBY_POLL_MS = 1_000;
const MAX_BATCH = 1_000;
/** Only one projector works at a time; the checkpoints' fence is what makes that sure, this lock saves the others the work. */
const PROJECTOR_LOCK = 7_205_002;

const { stores, logLevel } = workerData as ProjectorThreadData;
const logger = createLogger({ logLevel }, 'projector');
const stopping = new AbortController();

const pool = createPool(stores.databaseUrl, 4, (error) => {
  logger.warn({ reason: error.message }, 'a database connection broke');
});
const eventStore = new EventStore(stores.eventStoreUrl, {
  onWarning: (message) => {
    logger.warn(message);
  },
});
const codec = new Codec(eventCatalogue, new DataKeys(pool, MasterKeys.parse(stores.masterKey)));

parentPort?.on('message', () => {
  stopping.abort();
});

await prepareTables();
parentPort?.postMessage('ready');
while (!isStopping()) {
  try {
    await lead();
  } catch (error) {
    // Whatever is cut off while it stops ends with an error of its own.
    if (isStopping()) break;
    logger.error({ err: error }, 'the projector stopped; it starts again from its checkpoints');
    await delay(RETRY_DELAY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
  }
}
await eventStore.close();
await pool.end();
parentPort?.close();

function isStopping(): boolean {
  return stopping.signal.aborted;
}

/** The API reads the tables from its first request on. */
async function prepareTables(): Promise<void> {
  await projector().prepare();
}

/** Works for as long as this instance holds the lock. */
async function lead(): Promise<void> {
  const lock = new pg.Client(connectionConfig(stores.databaseUrl));
  const lost = new AbortController();
  lock.on('error', () => {
    lost.abort();
  });
  await lock.connect();
  try {
    while (!(await tryLock(lock))) await delay(STANDBY_POLL_MS, undefined, { signal: stopping.signal });
    await projector().run(AbortSignal.any([stopping.signal, lost.signal]));
  } finally {
    await lock.end().catch(() => undefined);
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [PROJECTOR_LOCK]);
  return rows[0]?.held ?? false;
}

function projector(): Projector {
  return new Projector(pool, eventStore, codec, {
    projections,
    schema: 'read',
    maxBatch: MAX_BATCH,
    directory: ['partner', 'api_key', 'price_book'],
    onFault: (projection, reason) => {
      logger.error({ projection, reason }, 'a projection is faulted and stands still');
    },
  });
}
