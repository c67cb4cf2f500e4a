import { type INestApplicationContext } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { FREE_CALLS_POOL, POOL } from '../../platform/injection-tokens.js';
import { listening } from '../../platform/http-server/listening.js';
import { type CollectedMetric } from '../../platform/metrics/metrics.js';
import { exportMissingHistory } from '../../stores/missing-history.js';
import { ServiceMetrics } from './service-metrics.js';
import { CheckpointOptions } from '../../contexts/evidence/checkpoints/checkpoint-keys.js';
import { MaintenanceMode } from '../../http/limiting/maintenance-mode.js';
import { watchStoreState } from './store-state.js';
import { type MetricsServer, startMetricsServer } from '../../platform/metrics/metrics-server.js';
import { watchDirectoryCache } from '../../platform/metrics/definitions/projecting.js';
import { ReadModelListener } from '../../platform/projecting/in-memory/read-model-listener.js';
import { RowMacs } from '../../platform/projecting/row-macs.js';
import { AUTHENTICATED } from '../../../projections/index.js';
import { watchRuntime, watchStores } from '../../platform/metrics/watch.js';

export interface MetricsOptions {
  /** Undefined if no metrics are to be served. */
  readonly port: number | undefined;
  readonly host: string;
}

/** The threads of this process with metrics. A process may lack either. */
export interface MeasuredThreads {
  readonly api?: INestApplicationContext | undefined;
  readonly background?: (() => Promise<readonly CollectedMetric[]>) | undefined;
}

/** Serves the metrics of every thread of this process, unless `port` is undefined. */
export async function serveMetrics(
  { port, host }: MetricsOptions,
  { api, background }: MeasuredThreads,
  logger: Logger,
): Promise<Pick<MetricsServer, 'stop'>> {
  if (port === undefined) return { stop: () => Promise.resolve() };
  const metrics = api?.get(ServiceMetrics) ?? new ServiceMetrics();
  watchRuntime(metrics, 'main');
  if (api) {
    const stores = { pool: api.get<Pool>(POOL), freeCalls: api.get<Pool>(FREE_CALLS_POOL), eventStore: api.get(EventStore) };
    watchStores(metrics, stores, 'main');
    metrics.rowMacs.watch(api.get(RowMacs), AUTHENTICATED);
    watchStoreState(metrics, stores, api.get(CheckpointOptions).everySeconds, api.get(MaintenanceMode));
    exportMissingHistory(metrics.registry, stores.eventStore);
    watchDirectoryCache(metrics.registry, api.get(ReadModelListener));
  }
  const sources = [() => metrics.collect(), ...(background ? [background] : [])];
  return await listening({ host, port, hostSetting: 'METRICS_HOST', portSetting: 'METRICS_PORT' }, () =>
    startMetricsServer({ port, host }, sources, logger),
  );
}
