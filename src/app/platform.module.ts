import { type DynamicModule, Global, type INestApplicationContext, Module, type Provider } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { createPool } from '../platform/database/pool.js';
import { eventCatalogue } from './event-catalogue.js';
import { Codec } from '../platform/event-sourcing/codec.js';
import { Erasures } from '../contexts/erasing/erasures.js';
import { EventStore } from '../platform/event-sourcing/event-store.js';
import { Readiness } from './health/readiness.js';
import { DataKeys } from '../platform/key-store/data-keys.js';
import { masterKeysOf } from '../platform/key-store/key-file.js';
import { MasterKeys } from '../platform/key-store/master-keys.js';
import { Secrets } from '../platform/key-store/secrets.js';
import { Metrics } from '../platform/metrics/metrics.js';
import { ReadModelListener } from '../platform/projecting/read-model-listener.js';
import { narrowOptions } from './narrow-options.js';
import { type Settings } from './settings.js';
import { type StoreAddresses } from './stores.js';
import { Clock } from '../kernel/clock.js';
import { SystemClock } from '../platform/system-clock.js';
import { ReadModels } from '../platform/projecting/read-models.js';
import { ADMIN_TOKENS, LOGGER, POOL } from '../platform/injection-tokens.js';

const POOL_SIZE = 16;

/** What every context uses: the stores, the clock, the keys. One event store client a thread (docs/adr/0003). */
@Global()
@Module({})
export class InfrastructureModule {
  static for(settings: Settings, stores: StoreAddresses, logger: Logger): DynamicModule {
    const providers: Provider[] = [
      ...narrowOptions(settings),
      { provide: LOGGER, useValue: logger },
      { provide: ADMIN_TOKENS, useValue: { admin: stores.adminToken, auditor: stores.auditorToken } },
      { provide: Clock, useClass: SystemClock },
      { provide: Metrics, useFactory: () => new Metrics() },
      {
        provide: POOL,
        useFactory: () =>
          createPool(stores.databaseUrl, POOL_SIZE, (error) => {
            logger.warn({ reason: error.message }, 'a database connection broke');
          }),
      },
      {
        provide: EventStore,
        useFactory: ({ eventStore: observer }: Metrics) =>
          new EventStore(stores.eventStoreUrl, {
            onWarning: (message) => {
              logger.warn(message);
            },
            observer,
          }),
        inject: [Metrics],
      },
      { provide: MasterKeys, useFactory: () => masterKeysOf(stores) },
      { provide: DataKeys, useFactory: (pool: Pool, keys: MasterKeys) => new DataKeys(pool, keys), inject: [POOL, MasterKeys] },
      { provide: Secrets, useFactory: (pool: Pool, keys: MasterKeys) => new Secrets(pool, keys), inject: [POOL, MasterKeys] },
      { provide: Codec, useFactory: (keys: DataKeys) => new Codec(eventCatalogue, keys), inject: [DataKeys] },
      {
        provide: ReadModelListener,
        useFactory: async (pool: Pool, keys: DataKeys) => {
          const listener = new ReadModelListener(stores.databaseUrl, pool);
          listener.onKeyDestroyed((rupaId) => {
            keys.forget(rupaId);
          });
          await listener.start();
          return listener;
        },
        inject: [POOL, DataKeys],
      },
      ReadModels,
      {
        provide: Readiness,
        useFactory: (pool: Pool, eventStore: EventStore) =>
          new Readiness(pool, eventStore, settings.roles, settings.readyLagSeconds * 1_000),
        inject: [POOL, EventStore],
      },
      { provide: Erasures, useFactory: (pool: Pool, keys: DataKeys) => new Erasures(pool, keys), inject: [POOL, DataKeys] },
    ];
    return { module: InfrastructureModule, providers, exports: providers };
  }
}

/** Last of all, once nothing uses them: what the contexts still commit while they stop must find its stores open. */
export async function closeInfrastructure(app: INestApplicationContext): Promise<void> {
  const pool = app.get<Pool>(POOL);
  const [listener, eventStore] = [app.get(ReadModelListener), app.get(EventStore)];
  await app.close();
  await listener.stop();
  await eventStore.close();
  await pool.end();
}
