import { setTimeout as delay } from 'node:timers/promises';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger } from 'pino';
import { type BackgroundThread, startBackgroundThread } from './background/background-thread.js';
import { migrate } from './migrations.js';
import { apiFront, type Front, healthFront } from './front.js';
import { waitForReadModels } from './health/wait-for-read-models.js';
import { waitForStores } from './health/wait-for-stores.js';
import { serveMetrics } from './metrics/serve.js';
import { refuseForeignLog } from '../platform/projecting/foreign-log.js';
import { createStoreClients } from './platform.js';
import { startTracing } from '../platform/tracing/start-tracing.js';
import { type Settings } from './settings/declaration.js';
import { addressesOf, type StoreAddresses, type Stores } from './stores.js';

const SCHEMA = 'read';

export interface StartUp {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly logger: Logger;
  readonly say: (text: string) => void;
  /** Aborted where the start is to be given up. */
  readonly signal: AbortSignal;
}

export interface Service {
  /** Undefined where the roles leave it out. */
  readonly api: NestFastifyApplication | undefined;
  readonly address: string;
  /** Resolves with a sentence when a part of the service dies. */
  readonly failed: Promise<string>;
  /**
   * Ends what has been begun, in the order in which parts need one another; the stores stay. For `graceMs` before that it serves as
   * always, but says that it is not ready and asks every client to come back on another connection.
   */
  stop(graceMs: number): Promise<void>;
  /** What is still waited for while it stops. */
  unfinished(): string;
}

/** Every part that the roles ask for, listening. The stores may be up later than this begins. */
export async function startService(startUp: StartUp): Promise<Service> {
  const { settings, stores, logger } = startUp;
  const addresses = addressesOf(stores);
  // Who is answered last still waits for the projector.
  const parts = new Parts();
  try {
    const tracing = await startTracing(settings.tracing, 'main');
    parts.add('the export of traces', () => tracing.stop());
    // A projector may have to build its tables first, for minutes: whoever asks meanwhile hears that it lives, and is not ready.
    let front = settings.roles.includes('api') ? undefined : closing(parts, await healthFront(startUp, addresses));
    const background = await startBackground(startUp, addresses);
    parts.add('the background thread (read models, webhooks)', () => background?.stop());
    front ??= closing(parts, await apiFront(startUp, addresses));
    const metrics = await serveMetrics(settings.metrics, { background: background?.metrics, api: front.api }, logger);
    parts.add('the last scrape of metrics', () => metrics.stop());
    const address = await front.open();
    return serving(front, address, Promise.race(background ? [stores.failed, background.failed] : [stores.failed]), parts);
  } catch (error) {
    await parts.end();
    throw error;
  }
}

/** Ended in the order opposite to the one in which they came up. */
class Parts {
  private readonly stack = new AsyncDisposableStack();
  /** What a reader of the log knows the part as whose end is waited for. */
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

function closing(parts: Parts, front: Front): Front {
  parts.add(front.api ? 'what was asked, and settling what it charged' : 'what was asked of health', () => front.close());
  return front;
}

function serving({ api, readiness }: Front, address: string, failed: Promise<string>, parts: Parts): Service {
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

/** None where the process has the role `api` alone. */
async function startBackground({ settings, say, signal }: StartUp, addresses: StoreAddresses): Promise<BackgroundThread | undefined> {
  await waitForStores(addresses, { seconds: settings.waitForStoresSeconds, say, signal });
  await migrate(addresses.databaseUrl);
  if (!settings.roles.includes('projector')) await readModelsThere(addresses, say, signal);
  const roles = settings.roles.filter((role) => role !== 'api');
  return roles.length === 0 ? undefined : await startBackgroundThread({ stores: addresses, settings, roles }, signal);
}

/** Nobody may write to, or tell anything of, a log that is not the one the database belongs to. */
async function readModelsThere(stores: StoreAddresses, say: StartUp['say'], signal: AbortSignal): Promise<void> {
  const { pool, eventStore, close } = createStoreClients(stores, { poolSize: 1 });
  try {
    await waitForReadModels(pool, SCHEMA, say, signal);
    await refuseForeignLog(pool, eventStore);
  } finally {
    await close();
  }
}
