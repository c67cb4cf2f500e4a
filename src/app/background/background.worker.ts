import { AUTHENTICATED } from '../../../projections/index.js';
import { OPERATIONAL_TABLES } from '../../contexts/operational-tables.js';
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createLogger } from '../../platform/logging/logger.js';
import { ServiceMetrics } from '../../operations/metrics/service-metrics.js';
import { maintenanceInForce } from '../../contexts/maintenance/recorded-maintenance.js';
import { watchStoreState } from '../../operations/metrics/store-state.js';
import { exportMissingHistory, watchHistory } from '../../stores/missing-history.js';
import { serveMetricsOver } from '../../platform/metrics/thread-port.js';
import { WANTED_CHANNEL } from '../../platform/projecting/wanted-positions.js';
import { watchRuntime, watchStores } from '../../platform/metrics/watch.js';
import { figureRecorder } from '../../operations/metrics/record-figures.js';
import { SystemClock } from '../../platform/system-clock.js';
import { startTracing } from '../../platform/tracing/start-tracing.js';
import { connectPlatform, type Platform } from '../platform.js';
import { type Settings } from '../../settings/declaration.js';
import { type BackgroundThreadData } from './background-thread.js';
import { startCheckpoints } from './checkpoints-role.js';
import { startProjector } from './projector-role.js';
import { startWebhooks } from './webhooks-role.js';

/**
 * Linux niceness of the thread; other threads have 0. When the CPU is saturated, requests go first, because read models can catch up later.
 */
const NICENESS = 10;
const POOL_SIZE = 8;

/** Runs the roles until the main thread sends a message, and posts `ready` to the main thread once they run. */
async function run({ stores, settings, roles, metricsPort }: BackgroundThreadData): Promise<void> {
  const { signal } = stopRequest();
  const logger = createLogger(settings, 'background');
  const metrics = new ServiceMetrics();
  const tracing = await startTracing(settings.tracing, 'background');
  const channels = roles.includes('projector') ? [WANTED_CHANNEL] : [];
  const options = { poolSize: POOL_SIZE, logger, observer: metrics.eventStore, recognisesLog: true, channels };
  const platform = await connectPlatform(stores, options);
  watch(metrics, platform, settings);
  const endWatch = settings.roles.includes('api') ? undefined : watchHistory(platform.eventStore);
  serveMetricsOver(metricsPort, metrics);
  const parts = { platform, databaseUrl: stores.databaseUrl, settings, logger, metrics, signal };
  const work = [
    ...(roles.includes('projector') ? [...(await startProjector(parts)), startCheckpoints(parts)] : []),
    ...(roles.includes('webhooks') ? startWebhooks(parts) : []),
  ];
  const figures = figureRecorder({ metrics, pool: platform.pool, eventStore: platform.eventStore, clock: new SystemClock(), roles });
  figures.start();
  parentPort?.postMessage('ready');
  await Promise.all(work);
  await figures.stop();
  metricsPort.close();
  await tracing.stop();
  await endWatch?.();
  await platform.close();
  parentPort?.close();
}

/**
 * Lowers the priority of this thread. Other systems than Linux would lower that of the whole process, the API included. A process may not
 * raise a priority that it was started with.
 */
function lowerPriority(): void {
  if (process.platform === 'linux') setPriority(Math.max(getPriority(), NICENESS));
}

function stopRequest(): AbortController {
  const stopping = new AbortController();
  parentPort?.on('message', () => {
    stopping.abort();
  });
  return stopping;
}

function watch(metrics: ServiceMetrics, stores: Platform, settings: Settings): void {
  metrics.rowMacs.watch(stores.macs, [...AUTHENTICATED, ...OPERATIONAL_TABLES.map(({ name }) => name)]);
  if (settings.metrics.port === undefined) return;
  watchRuntime(metrics, 'background');
  watchStores(metrics, stores, 'background');
  // Each process exports the state of the stores once: in the main thread if it has the role api, here otherwise.
  if (settings.roles.includes('api')) return;
  const maintenance = { inForce: () => maintenanceInForce(stores.eventStore, stores.codec, new Date()) };
  watchStoreState(metrics, stores, settings.checkpointEverySeconds, maintenance);
  exportMissingHistory(metrics.registry, stores.eventStore);
}

lowerPriority();
await run(workerData as BackgroundThreadData);
