import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Logger } from 'pino';
import { createApi } from './api.js';
import { startBackgroundThread } from './background/background-thread.js';
import { migrate } from './database/schema.js';
import { closeInfrastructure } from './infrastructure/infrastructure.module.js';
import { serveMetrics } from './metrics/serve.js';
import { startTracing } from './tracing/start.js';
import { type Settings } from './settings.js';
import { type Stores } from './stores.js';

const IDLE_SWEEP_MS = 25;

export interface Service {
  readonly api: NestFastifyApplication;
  /** Resolves with a sentence when a part of the service dies. */
  readonly failed: Promise<string>;
  /** Ends what has been begun, in the order in which parts need one another; the stores stay. */
  stop(): Promise<void>;
}

/** Every part that the roles ask for, over stores that are there. */
export async function startService(settings: Settings, stores: Stores, logger: Logger): Promise<Service> {
  await migrate(stores.databaseUrl);
  const tracing = await startTracing(settings, 'main');
  const { eventStoreUrl, databaseUrl, masterKey, adminToken, auditorToken } = stores;
  const addresses = { eventStoreUrl, databaseUrl, masterKey, adminToken, auditorToken };
  const background = await startBackgroundThread({ stores: addresses, settings, roles: settings.roles });
  try {
    const api = await createApi(settings, addresses, logger);
    const metrics = await serveMetrics(settings, { background: background.metrics, api }, logger).catch(async (error: unknown) => {
      await closeInfrastructure(api);
      throw error;
    });
    return {
      api,
      failed: Promise.race([stores.failed, background.failed]),
      stop: async () => {
        // A connection that is busy when the server closes would otherwise be kept alive long after its answer.
        const idle = setInterval(() => {
          api.getHttpServer().closeIdleConnections();
        }, IDLE_SWEEP_MS);
        await closeInfrastructure(api);
        clearInterval(idle);
        await background.stop();
        await metrics.stop();
        await tracing.stop();
      },
    };
  } catch (error) {
    await background.stop();
    throw error;
  }
}
