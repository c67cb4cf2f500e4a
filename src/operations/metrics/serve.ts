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
import { watchDirectoryCache } from '../../platform/metrics/definitions/projecting.js';
import { ReadModelListener } from '../../platform/projecting/in-memory/read-model-listener.js';
import { RowMacs } from '../../platform/projecting/row-macs.js';
import { AUTHENTICATED } from '../../../projections/index.js';
import { OPERATIONAL_TABLES } from '../../contexts/operational-tables.js';
import { watchRuntime, watchStores } from '../../platform/metrics/watch.js';
import { once } from 'node:events';
import { type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { AggregatorRegistry, Registry } from 'prom-client';
import { boundedServer } from '../../platform/http-server/bounded-server.js';

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
    metrics.rowMacs.watch(api.get(RowMacs), [...AUTHENTICATED, ...OPERATIONAL_TABLES.map(({ name }) => name)]);
    watchStoreState(metrics, stores, api.get(CheckpointOptions).everySeconds, api.get(MaintenanceMode));
    exportMissingHistory(metrics.registry, stores.eventStore);
    watchDirectoryCache(metrics.registry, api.get(ReadModelListener));
  }
  const sources = [() => metrics.collect(), ...(background ? [background] : [])];
  return await listening({ host, port, hostSetting: 'METRICS_HOST', portSetting: 'METRICS_PORT' }, () =>
    startMetricsServer({ port, host }, sources, logger),
  );
}

const REQUEST_TIMEOUT_MS = 5_000;
/** More than a scraper opens. */
const CONNECTIONS_PER_ADDRESS = 64;

export interface MetricsServer {
  readonly port: number;
  stop(): Promise<void>;
}

/** Serves GET /metrics on a separate port, which is not for partners. A source that fails is left out of the response. */
export async function startMetricsServer(
  { port, host }: { readonly port: number; readonly host: string },
  sources: readonly (() => Promise<readonly CollectedMetric[]>)[],
  logger: Logger,
): Promise<MetricsServer> {
  const timeouts = { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS };
  const server = boundedServer(timeouts, { perAddress: CONNECTIONS_PER_ADDRESS }, (request, response) => {
    if (request.url?.split('?')[0] !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end();
      return;
    }
    respond(response, sources).catch((error: unknown) => {
      logger.warn({ reason: String(error) }, 'metrics could not be collected');
      response.writeHead(500).end();
    });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const { port: listening } = server.address() as AddressInfo;
  logger.info({ host, port: listening }, 'metrics are served');
  return {
    port: listening,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function respond(response: ServerResponse, sources: readonly (() => Promise<readonly CollectedMetric[]>)[]): Promise<void> {
  const collected = await Promise.all(sources.map((source) => source().catch(() => [])));
  const text = await AggregatorRegistry.aggregate(collected).metrics();
  response.writeHead(200, { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE }).end(text);
}
