import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { projections } from '../../../projections/index.js';
import { type ContributionEvent } from '../../contexts/contributions/domain/events.js';
import { LOCKS } from '../../platform/database/locks.js';
import { createPool } from '../../platform/database/pool.js';
import { Eraser } from '../../contexts/erasing/eraser.js';
import { Erasures } from '../../contexts/erasing/erasures.js';
import { eventCatalogue } from '../event-catalogue.js';
import { Codec } from '../../platform/event-sourcing/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { DataKeys } from '../../platform/key-store/data-keys.js';
import { masterKeysOf } from '../../platform/key-store/key-file.js';
import { createLogger } from '../../platform/logging/logger.js';
import { Metrics } from '../../platform/metrics/metrics.js';
import { answerOver } from '../../platform/metrics/thread-port.js';
import { watchRuntime, watchStores, watchStoreState } from '../../platform/metrics/watch.js';
import { type Lingering } from '../../platform/projecting/batches.js';
import { readCheckpoints, WEBHOOK_SUBSCRIBER } from '../../platform/projecting/checkpoints.js';
import { logProgress } from '../../platform/projecting/log-progress.js';
import { least, positionOf, START } from '../../platform/projecting/positions.js';
import { type Projection } from '../../platform/projecting/projection.js';
import { Projector } from '../../platform/projecting/projector.js';
import { inTurn, rebuild } from '../../platform/projecting/rebuild.js';
import { ReadModelListener } from '../../platform/projecting/read-model-listener.js';
import { type ShadowParts } from '../../platform/projecting/shadow.js';
import { prepareReadModels } from '../../platform/projecting/start-up.js';
import { type WalletEvent } from '../../contexts/wallet/domain/events.js';
import { NotificationSubscriber } from '../../contexts/webhooks/notification-subscriber.js';
import { startTracing } from '../../platform/tracing/start.js';
import { runSender, type SenderStores } from '../../contexts/webhooks/sender-loop.js';
import { type BackgroundThreadData } from './background-thread.js';
import { holdOffice } from './leader.js';

/** Who waits for an answer goes first where processors are short: read models can catch up. Linux's niceness, 0 being everybody else's. */
const NICENESS = 10;
const POOL_SIZE = 8;
const SCHEMA = 'read';
const MAX_BATCH = 1_000;
/** Of what comes without a break where there is much of it: whoever reads what look-ups lead to can wait for so long, and so can a report's answer. */
const LINGERING_MS: Readonly<Partial<Record<string, number>>> = {
  ...({ WalletDebited: 60, ConsentGranted: 60, ChargesSettled: 60, RefundIssued: 60 } satisfies Partial<
    Record<WalletEvent['type'], number>
  >),
  ...({ ContributionRecorded: 10, ContributionUpdated: 10 } satisfies Record<ContributionEvent['type'], number>),
};
const lingering: Lingering = ({ type }) => LINGERING_MS[type] ?? 0;

// Elsewhere the whole process would step back, the API with it; and one that was started with a lower priority may not raise it.
if (process.platform === 'linux') setPriority(Math.max(getPriority(), NICENESS));

const { stores, settings, roles, metricsPort } = workerData as BackgroundThreadData;
const logger = createLogger(settings, 'background');
const stopping = new AbortController();
const { signal } = stopping;
const metrics = new Metrics();
const tracing = await startTracing(settings.tracing, 'background');

const pool = createPool(stores.databaseUrl, POOL_SIZE, (error) => {
  logger.warn({ reason: error.message }, 'a database connection broke');
});
const eventStore = new EventStore(stores.eventStoreUrl, {
  onWarning: (message) => {
    logger.warn(message);
  },
  observer: metrics.eventStore,
});
if (settings.metrics.port !== undefined) {
  watchRuntime(metrics, 'background');
  watchStores(metrics, { pool, eventStore }, 'background');
  if (!settings.roles.includes('api')) watchStoreState(metrics, { pool, eventStore });
}
answerOver(metricsPort, metrics);
const masterKeys = masterKeysOf(stores);
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
if (roles.includes('projector')) {
  const parts = { pool, eventStore, codec, signal, onProgress: logProgress(logger) };
  metrics.projecting.expect(projections.map(({ name }) => name));
  // The API reads the tables from its first request on.
  const outdated = await prepareReadModels(parts, projections, SCHEMA);
  const progress = progressOf(projections.map(({ name }) => name));
  work.push(holdOffice({ name: 'projector', lock: LOCKS.projector, work: project, progress }, stores.databaseUrl, logger, signal));
  const eraser = new Eraser(parts, new Erasures(pool, keys), logger);
  work.push(
    holdOffice(
      { name: 'eraser', lock: LOCKS.eraser, work: (until) => eraser.run(until), progress: () => eraser.progress() },
      stores.databaseUrl,
      logger,
      signal,
    ),
  );
  work.push(
    tidyUp(parts, outdated).catch((error: unknown) => {
      if (!signal.aborted)
        logger.error(
          { err: error },
          'outdated read models could not be rebuilt; they serve as they are. Run: rupa projections rebuild --all',
        );
    }),
  );
}
if (roles.includes('webhooks')) {
  const onRecorded: SenderStores['onRecorded'] = ({ status, duration_ms }) => {
    metrics.webhooks.recorded(status, duration_ms);
  };
  const traceparentAt = async (position: bigint): Promise<string | undefined> => (await eventStore.eventAt(position))?.metadata.traceparent;
  const subscribe = (until: AbortSignal): Promise<void> => new NotificationSubscriber(pool, eventStore, codec).run(until);
  const progress = progressOf([WEBHOOK_SUBSCRIBER]);
  work.push(
    holdOffice(
      { name: 'webhook subscriber', lock: LOCKS.webhookSubscriber, work: subscribe, progress },
      stores.databaseUrl,
      logger,
      signal,
    ),
  );
  work.push(
    runSender(
      {
        databaseUrl: stores.databaseUrl,
        pool,
        eventStore,
        codec,
        masterKeys,
        settings: settings.webhooks,
        logger,
        onRecorded,
        ...(settings.tracing.enabled ? { traceparentAt } : {}),
      },
      signal,
    ),
  );
}
parentPort?.postMessage('ready');
await Promise.all(work);
metricsPort.close();
await tracing.stop();
await listener.stop();
await eventStore.close();
await pool.end();
parentPort?.close();

function project(until: AbortSignal): Promise<void> {
  // Who has read no erasure for a while may hold keys that are destroyed; from here on every one is read, in its place.
  keys.forget();
  const onFault = (projection: string, reason: string): void => {
    logger.error({ projection, reason }, 'a projection is faulted and stands still');
    metrics.projecting.faulted(projection);
  };
  const onApplied = (events: number, seconds: number): void => {
    metrics.projecting.applied(events, seconds);
  };
  const options = {
    projections,
    schema: SCHEMA,
    maxBatch: MAX_BATCH,
    lingering,
    directory: ['partner', 'api_key', 'price_book'],
    onFault,
    onApplied,
  };
  return new Projector(pool, eventStore, codec, options).run(until);
}

/** Clears what killed rebuilds left, and rebuilds what an older version of the service has built. */
async function tidyUp(parts: ShadowParts, outdated: readonly Projection[]): Promise<void> {
  await inTurn(parts, async () => {
    if (outdated.length > 0) await rebuild(parts, outdated, SCHEMA);
  });
}

function progressOf(names: readonly string[]): () => Promise<{ done: bigint; due: bigint }> {
  return async () => {
    const [known, due] = [await readCheckpoints(pool), await eventStore.headPosition()];
    const positions = names.flatMap((name) => {
      const checkpoint = known.get(name);
      return checkpoint?.fault === null ? [positionOf(checkpoint)] : [];
    });
    return { done: least(positions, due), due: due ?? START };
  };
}
