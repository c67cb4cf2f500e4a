import { parentPort, workerData } from 'node:worker_threads';
import { projections } from '../../projections/index.js';
import { createPool } from '../database/pool.js';
import { eventCatalogue } from '../event-catalogue.js';
import { Codec } from '../event-sourcing/codec.js';
import { EventStore } from '../event-sourcing/event-store.js';
import { DataKeys } from '../key-store/data-keys.js';
import { MasterKeys } from '../key-store/master-keys.js';
import { createLogger } from '../logger.js';
import { Projector } from '../projecting/projector.js';
import { NotificationSubscriber } from '../webhooks/notification-subscriber.js';
import { runSender } from '../webhooks/sender-loop.js';
import { type BackgroundThreadData } from './background-thread.js';
import { holdOffice } from './leader.js';

const POOL_SIZE = 8;
const MAX_BATCH = 1_000;
const PROJECTOR_LOCK = 7_205_002;
const SUBSCRIBER_LOCK = 7_205_003;

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
const codec = new Codec(eventCatalogue, new DataKeys(pool, masterKeys));

parentPort?.on('message', () => {
  stopping.abort();
});

const work: Promise<void>[] = [];
if (roles.includes('projector')) {
  // The API reads the tables from its first request on.
  await projector().prepare();
  work.push(holdOffice({ name: 'projector', lock: PROJECTOR_LOCK, work: (until) => projector().run(until) }, stores.databaseUrl, logger, signal));
}
if (roles.includes('webhooks')) {
  const subscriber = (until: AbortSignal): Promise<void> => new NotificationSubscriber(pool, eventStore, codec).run(until);
  work.push(holdOffice({ name: 'webhook subscriber', lock: SUBSCRIBER_LOCK, work: subscriber }, stores.databaseUrl, logger, signal));
  work.push(runSender({ databaseUrl: stores.databaseUrl, pool, eventStore, codec, masterKeys, settings: settings.webhooks, logger }, signal));
}
parentPort?.postMessage('ready');
await Promise.all(work);
await eventStore.close();
await pool.end();
parentPort?.close();

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
