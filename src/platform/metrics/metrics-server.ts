import { once } from 'node:events';
import { type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type Logger } from 'pino';
import { AggregatorRegistry, Registry } from 'prom-client';
import { boundedServer } from '../http-server/bounded-server.js';
import { type CollectedMetric } from './metrics.js';

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
