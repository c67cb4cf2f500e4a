import { type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { createCallerPool } from '../platform/database/sharing/caller-pool.js';
import { Outages } from '../platform/store-outages.js';
import { ServiceMetrics } from '../operations/metrics/service-metrics.js';
import { AppModule } from './app.module.js';
import { connectPlatform } from './platform.js';
import { type Settings } from '../settings/declaration.js';
import { type StoreAddresses } from '../stores/stores.js';

const POOL_SIZE = 16;
/** Connections for free calls. One caller has at most a part of them, whatever it calls and however slowly it reads. */
const FREE_CALLS = { connections: 8, perCaller: 3 };

export interface Application<App extends INestApplicationContext> {
  readonly app: App;
  /**
   * Closes the application, then the platform. The contexts still append events while they stop, so the stores must stay open until then.
   */
  close(this: void): Promise<void>;
}

interface ApplicationParts {
  readonly settings: Settings;
  readonly stores: StoreAddresses;
  readonly logger: Logger;
  /** Whether the application serves calls, whose statements have short time limits, and free calls connections of their own. */
  readonly servesCalls: boolean;
}

/** Connects the platform and creates an application on it: with HTTP for the API, without for the command line. */
export async function createApplication<App extends INestApplicationContext>(
  { settings, stores, logger, servesCalls }: ApplicationParts,
  create: (module: DynamicModule) => Promise<App>,
): Promise<Application<App>> {
  const metrics = new ServiceMetrics();
  const statements = servesCalls ? 'request' : 'background';
  const platform = await connectPlatform(stores, {
    poolSize: POOL_SIZE,
    logger,
    statements,
    observer: metrics.eventStore,
    recognisesLog: true,
  });
  const freeCalls = servesCalls ? freeCallsPool(stores, logger) : undefined;
  const closeStores = async (): Promise<void> => {
    await platform.close();
    await freeCalls?.end();
  };
  try {
    const app = await create(AppModule.for({ settings, stores, logger, metrics, platform, freeCalls }));
    return {
      app,
      close: async () => {
        await app.close();
        await closeStores();
      },
    };
  } catch (error) {
    await closeStores();
    throw error;
  }
}

function freeCallsPool({ databaseUrl }: StoreAddresses, logger: Logger): Pool {
  const outages = new Outages();
  return createCallerPool(databaseUrl, FREE_CALLS.connections, FREE_CALLS.perCaller, (error) => {
    if (outages.isNew(error)) logger.warn({ reason: error.message }, 'a database connection broke');
  });
}
