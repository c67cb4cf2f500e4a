import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { createLogger } from '../../platform/logging/logger.js';
import { ServiceMetrics } from '../metrics/service-metrics.js';
import { watchStoreState } from '../metrics/store-state.js';
import { respondOver } from '../../platform/metrics/thread-port.js';
import { watchRuntime, watchStores } from '../../platform/metrics/watch.js';
import { startTracing } from '../../platform/tracing/start-tracing.js';
import { connectPlatform, type Platform } from '../platform.js';
import { type Settings } from '../settings/declaration.js';
import { type BackgroundThreadData } from './background-thread.js';
import { startProjector } from './projector-role.js';
import { startWebhooks } from './webhooks-role.js';

/** Requests go first where processors are short, because read models can catch up. Linux's niceness; that of other processes is 0. */
const NICENESS = 10;
const POOL_SIZE = 8;

/** Runs the roles until the main thread sends a message; tells the main thread when they are up. */
async function run({ stores, settings, roles, metricsPort }: BackgroundThreadData): Promise<void> {
  const { signal } = stopRequest();
  const logger = createLogger(settings, 'background');
  const metrics = new ServiceMetrics();
  const tracing = await startTracing(settings.tracing, 'background');
  const platform = await connectPlatform(stores, { poolSize: POOL_SIZE, logger, observer: metrics.eventStore });
  watch(metrics, platform, settings);
  respondOver(metricsPort, metrics);
  const parts = { platform, databaseUrl: stores.databaseUrl, settings, logger, metrics, signal };
  const work = [
    ...(roles.includes('projector') ? await startProjector(parts) : []),
    ...(roles.includes('webhooks') ? startWebhooks(parts) : []),
  ];
  parentPort?.postMessage('ready');
  await Promise.all(work);
  metricsPort.close();
  await tracing.stop();
  await platform.close();
  parentPort?.close();
}

/** Elsewhere than on Linux the whole process would step back, and the API with it. A process that was started with a lower priority may not raise it. */
function stepBack(): void {
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
  if (settings.metrics.port === undefined) return;
  watchRuntime(metrics, 'background');
  watchStores(metrics, stores, 'background');
  // Every process shows the stores' state once: by its API, or here where it has none.
  if (!settings.roles.includes('api')) watchStoreState(metrics, stores);
}

stepBack();
await run(workerData as BackgroundThreadData);
