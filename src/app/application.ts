import { type DynamicModule, type INestApplicationContext } from '@nestjs/common';
import { type Logger } from 'pino';
import { ServiceMetrics } from './metrics/service-metrics.js';
import { AppModule } from './app.module.js';
import { connectPlatform } from './platform.js';
import { type Settings } from './settings/declaration.js';
import { type StoreAddresses } from './stores.js';

const POOL_SIZE = 16;

export interface Application<App extends INestApplicationContext> {
  readonly app: App;
  /**
   * Closes the application, then the platform. The contexts still append events while they stop, so the stores must stay open until then.
   */
  close(this: void): Promise<void>;
}

/** Connects the platform and creates an application on it: with HTTP for the API, without for the command line. */
export async function createApplication<App extends INestApplicationContext>(
  { settings, stores, logger }: { readonly settings: Settings; readonly stores: StoreAddresses; readonly logger: Logger },
  create: (module: DynamicModule) => Promise<App>,
): Promise<Application<App>> {
  const metrics = new ServiceMetrics();
  const { compactDebits } = settings;
  const options = { poolSize: POOL_SIZE, logger, observer: metrics.eventStore, compactDebits, recognisesLog: true };
  const platform = await connectPlatform(stores, options);
  try {
    const app = await create(AppModule.for({ settings, stores, logger, metrics, platform }));
    return {
      app,
      close: async () => {
        await app.close();
        await platform.close();
      },
    };
  } catch (error) {
    await platform.close();
    throw error;
  }
}
