import { setTimeout as delay } from 'node:timers/promises';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger } from 'pino';
import { type BackgroundThread, startBackgroundThread } from './background/background-thread.js';
import { migrate } from '../stores/migrations.js';
import { createApiServer, type HttpServer, createHealthServer } from './http-server.js';
import { waitForReadModels, waitForStores } from '../operations/health/wait-for-stores.js';
import { serveMetrics } from '../operations/metrics/serve.js';
import { ownRowMacs, refuseForeignKeys } from '../stores/foreign-keys.js';
import { refuseForeignLog } from '../platform/projecting/logs/foreign-log.js';
import { createStoreClients } from '../stores/store-clients.js';
import { startTracing } from '../platform/tracing/start-tracing.js';
import { type Settings } from '../settings/declaration.js';
import { addressesOf, type StoreAddresses, type Stores, connectionsOf } from '../stores/stores.js';

const SCHEMA = 'read';

export interface StartUp {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly logger: Logger;
  readonly say: (text: string) => void;
  /** Aborted when the start has to be given up. */
  readonly signal: AbortSignal;
}

export interface Service {
  /** Undefined for a process without the role `api`. */
  readonly api: NestFastifyApplication | undefined;
  readonly address: string;
  /** Resolves with the reason, as a sentence, when a part of the service fails. */
  readonly failed: Promise<string>;
  /**
   * Stops the parts, each before those that it depends on; the stores keep running. For `graceMs` before that, the service serves as
   * usual, reports that it is not ready and closes each connection after its next response.
   */
  stop(graceMs: number): Promise<void>;
  /** Names the part that a stop is waiting for. */
  unfinished(): string;
}

/** Starts the parts that the roles need and listens. The stores may start later than the service. */
export async function startService(startUp: StartUp): Promise<Service> {
  const { settings, stores, logger } = startUp;
  const addresses = addressesOf(stores);
  const parts = new Parts();
  try {
    const tracing = await startTracing(settings.tracing, 'main');
    parts.add('the export of traces', () => tracing.stop());
    // The projector may need minutes to build its tables. Without the API, the health endpoints are up before that and
    // report that the process is live but not ready.
    let server = settings.roles.includes('api') ? undefined : addServer(parts, await createHealthServer(startUp, addresses));
    const background = await startBackground(startUp, addresses);
    parts.add('the background thread (read models, webhooks)', () => background?.stop());
    server ??= addServer(parts, await createApiServer(startUp, addresses));
    const metrics = await serveMetrics(settings.metrics, { background: background?.metrics, api: server.api }, logger);
    parts.add('the last scrape of metrics', () => metrics.stop());
    const address = await server.open();
    return serving(server, address, Promise.race(background ? [stores.failed, background.failed] : [stores.failed]), parts);
  } catch (error) {
    await parts.end();
    throw error;
  }
}

/** The running parts of the service. They stop in reverse order: the last requests still need the projector to finish. */
class Parts {
  private readonly stack = new AsyncDisposableStack();
  /** Name, for the operator, of the part that is being stopped. */
  ending = 'serving';

  add(name: string, end: () => Promise<void> | undefined): void {
    this.stack.defer(async () => {
      this.ending = name;
      await end();
    });
  }

  async end(): Promise<void> {
    await this.stack.disposeAsync();
  }
}

function addServer(parts: Parts, server: HttpServer): HttpServer {
  parts.add(server.api ? 'requests in progress and the settlement of their charges' : 'health requests', () => server.close());
  return server;
}

function serving({ api, readiness }: HttpServer, address: string, failed: Promise<string>, parts: Parts): Service {
  return {
    api,
    address,
    failed,
    stop: async (graceMs) => {
      readiness.phase = 'stopping';
      await delay(graceMs);
      await parts.end();
    },
    unfinished: () => parts.ending,
  };
}

/** Prepares the stores and starts the background thread, which a process with only the role `api` does not have. */
async function startBackground({ settings, say, signal }: StartUp, addresses: StoreAddresses): Promise<BackgroundThread | undefined> {
  const connections = connectionsOf(settings.roles);
  await waitForStores(addresses, { seconds: settings.waitForStoresSeconds, connections, say, signal });
  await migrate(addresses.databaseUrl, () => ownRowMacs(addresses));
  await refuseForeignKeys(addresses);
  if (!settings.roles.includes('projector')) await waitForUsableReadModels(addresses, say, signal);
  const roles = settings.roles.filter((role) => role !== 'api' && role !== 'console');
  return roles.length === 0 ? undefined : await startBackgroundThread({ stores: addresses, settings, roles }, signal);
}

/**
 * Waits for the tables of the read models.
 * @throws Error if the database belongs to another log: the process must neither append to that log nor deliver notifications from it
 */
async function waitForUsableReadModels(stores: StoreAddresses, say: StartUp['say'], signal: AbortSignal): Promise<void> {
  const { pool, eventStore, close } = createStoreClients(stores, { poolSize: 1 });
  try {
    await waitForReadModels(pool, SCHEMA, say, signal);
    await refuseForeignLog(pool, eventStore);
  } finally {
    await close();
  }
}
