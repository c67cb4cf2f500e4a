import { type Pool } from 'pg';
import { createPool } from '../../src/database/pool.js';
import { migrate } from '../../src/database/schema.js';
import { eventCatalogue } from '../../src/event-catalogue.js';
import { Codec } from '../../src/event-sourcing/codec.js';
import { EventStore } from '../../src/event-sourcing/event-store.js';
import { DataKeys } from '../../src/key-store/data-keys.js';
import { MasterKeys } from '../../src/key-store/master-keys.js';
import { createTestDatabase } from './database.js';
import { type EventStoreProcess, startEventStoreProcess } from './event-store-process.js';

/** A real event store and a real database, with what reads and writes them. */
export interface Stack {
  readonly store: EventStoreProcess;
  readonly eventStore: EventStore;
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  readonly codec: Codec;
  /** One that remembers no key. */
  freshCodec(): Codec;
  close(): Promise<void>;
}

export async function startStack(): Promise<Stack> {
  const [store, database] = await Promise.all([startEventStoreProcess(), createTestDatabase()]);
  await migrate(database.url);
  const pool = createPool(database.url, 8, () => undefined);
  const eventStore = new EventStore(store.connectionString);
  const masterKeys = MasterKeys.parse(`k1:${Buffer.alloc(32, 7).toString('base64')}`);
  const freshCodec = (): Codec => new Codec(eventCatalogue, new DataKeys(pool, masterKeys));
  return {
    store,
    eventStore,
    databaseUrl: database.url,
    pool,
    masterKeys,
    codec: freshCodec(),
    freshCodec,
    close: async () => {
      await eventStore.close();
      await pool.end();
      await store.close();
      await database.drop();
    },
  };
}
