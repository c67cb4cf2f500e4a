import { type INestApplicationContext } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { EventStore } from '../event-sourcing/event-store.js';
import { POOL } from '../injection-tokens.js';
import { type Settings } from '../../app/settings.js';
import { type Collected, Metrics } from './metrics.js';
import { type MetricsServer, startMetricsServer } from './metrics-server.js';
import { watchRuntime, watchStores, watchStoreState } from './watch.js';

/** The threads of this process that count; a process may be without either. */
export interface Counting {
  readonly api?: INestApplicationContext | undefined;
  readonly background?: (() => Promise<readonly Collected[]>) | undefined;
}

/** Serves what every thread of this process counts, where the settings name a port. */
export async function serveMetrics(
  settings: Settings,
  { api, background }: Counting,
  logger: Logger,
): Promise<Pick<MetricsServer, 'stop'>> {
  if (settings.metrics.port === undefined) return { stop: () => Promise.resolve() };
  const metrics = api?.get(Metrics) ?? new Metrics();
  watchRuntime(metrics, 'main');
  if (api) {
    const stores = { pool: api.get<Pool>(POOL), eventStore: api.get(EventStore) };
    watchStores(metrics, stores, 'main');
    watchStoreState(metrics, stores);
  }
  return await startMetricsServer(
    { ...settings.metrics, port: settings.metrics.port },
    [() => metrics.collect(), ...(background ? [background] : [])],
    logger,
  );
}
