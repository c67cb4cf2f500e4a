import { parentPort, workerData } from 'node:worker_threads';
import { projections } from '../../projections/index.js';
import { createPool, inTransaction } from '../database/pool.js';
import { Eraser } from '../erasing/eraser.js';
import { Erasures } from '../erasing/erasures.js';
import { eventCatalogue } from '../event-catalogue.js';
import { Codec } from '../event-sourcing/codec.js';
import { EventStore } from '../event-sourcing/event-store.js';
import { DataKeys } from '../key-store/data-keys.js';
import { MasterKeys } from '../key-store/master-keys.js';
import { createLogger } from '../logger.js';
import { readCheckpoints, WEBHOOK_SUBSCRIBER } from '../projecting/checkpoints.js';
import { refuseForeignLog } from '../projecting/foreign-log.js';
import { logProgress } from '../projecting/log-progress.js';
import { type Projection } from '../projecting/projection.js';
import { Projector } from '../projecting/projector.js';
import { inTurn, rebuild } from '../projecting/rebuild.js';
import { ReadModelListener } from '../projecting/read-model-listener.js';
import { type ShadowParts } from '../projecting/shadow.js';
import { prepareReadModels } from '../projecting/start-up.js';
import { NotificationSubscriber } from '../webhooks/notification-subscriber.js';
import { runSender } from '../webhooks/sender-loop.js';
import { type BackgroundThreadData } from './background-thread.js';
import { holdOffice } from './leader.js';

const POOL_SIZE = 8;
const SCHEMA = 'read';
const MAX_BATCH = 1_000;
const PROJECTOR_LOCK = 7_205_002;
const SUBSCRIBER_LOCK = 7_205_003;
const ERASER_LOCK = 7_205_005;

const { stores, settings, roles } = workerData as BackgroundThreadData;
const logger = createLogger(settings, 'background');
const stopping = new AbortController();
const { signal } = stopping;

const pool = createPool(stores.databaseUrl, POOL_SIZE, (error) => {
  logger.warn({ reason: error.message }, 'a database connection broke');
});
const eventStore = new EventStore(stores.eventStoreUrl, {
  onWarning: (message) => {
    logger.warn(message);
  },
});
const masterKeys = MasterKeys.parse(stores.masterKey);
const keys = new DataKeys(pool, masterKeys);
const codec = new Codec(eventCatalogue, keys);
const listener = new ReadModelListener(stores.databaseUrl, pool);
listener.onKeyDestroyed((rupaId) => {
  keys.forget(rupaId);
});

parentPort?.on('message', () => {
  stopping.abort();
});

await listener.start();
const work: Promise<void>[] = [];
// Nobody may write to, or tell anything of, a log that is not the one the database belongs to.
if (!roles.includes('projector')) await refuseForeignLog(pool, eventStore);
if (roles.includes('projector')) {
  const parts = { pool, eventStore, codec, signal, onProgress: logProgress(logger) };
  // The API reads the tables from its first request on.
  const outdated = await prepareReadModels(parts, projections, SCHEMA);
  const progress = progressOf(projections.map(({ name }) => name));
  work.push(holdOffice({ name: 'projector', lock: PROJECTOR_LOCK, work: project, progress }, stores.databaseUrl, logger, signal));
  const eraser = new Eraser(parts, new Erasures(pool, keys), logger);
  work.push(holdOffice({ name: 'eraser', lock: ERASER_LOCK, work: (until) => eraser.run(until), progress: () => eraser.progress() }, stores.databaseUrl, logger, signal));
  work.push(tidyUp(parts, outdated).catch((error: unknown) => {
    if (!signal.aborted) logger.error({ err: error }, 'outdated read models could not be rebuilt; they serve as they are. Run: rupa projections rebuild --all');
  }));
}
if (roles.includes('webhooks')) {
  const subscribe = (until: AbortSignal): Promise<void> => new NotificationSubscriber(pool, eventStore, codec).run(until);
  const progress = progressOf([WEBHOOK_SUBSCRIBER]);
  work.push(holdOffice({ name: 'webhook subscriber', lock: SUBSCRIBER_LOCK, work: subscribe, progress }, stores.databaseUrl, logger, signal));
  work.push(runSender({ databaseUrl: stores.databaseUrl, pool, eventStore, codec, masterKeys, settings: settings.webhooks, logger }, signal));
}
parentPort?.postMessage('ready');
await Promise.all(work);
await listener.stop();
await eventStore.close();
await pool.end();
parentPort?.close();

function project(until: AbortSignal): Promise<void> {
  // Who has read no erasure for a while may hold keys that are destroyed; from here on every one is read, in its place.
  keys.forget();
  const onFault = (projection: string, reason: string): void => {
    logger.error({ projection, reason }, 'a projection is faulted and stands still');
  };
  const options = { projections, schema: SCHEMA, maxBatch: MAX_BATCH, directory: ['partner', 'api_key', 'price_book'], onFault };
  return new Projector(pool, eventStore, codec, options).run(until);
}

/** Clears what killed rebuilds left, and rebuilds what an older version of the service has built. */
async function tidyUp(parts: ShadowParts, outdated: readonly Projection[]): Promise<void> {
  await inTurn(parts, () => undefined, async () => {
    if (outdated.length > 0) await rebuild(parts, outdated, SCHEMA);
  });
}

function progressOf(names: readonly string[]): () => Promise<{ done: bigint; due: bigint }> {
  return async () => {
    const [known, due] = [await inTransaction(pool, readCheckpoints), await eventStore.headPosition()];
    const positions = names.flatMap((name) => {
      const checkpoint = known.get(name);
      return checkpoint?.fault === null ? [BigInt(checkpoint.position ?? -1)] : [];
    });
    return { done: positions.reduce((least, position) => (position < least ? position : least), due ?? -1n), due: due ?? -1n };
  };
}
