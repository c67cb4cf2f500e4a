import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { createPool } from '../platform/database/pool.js';
import { type AppendObserver } from '../platform/event-sourcing/append-observer.js';
import { Codec } from '../platform/event-sourcing/codec.js';
import { EventStore } from '../platform/event-sourcing/event-store.js';
import { DataKeys } from '../platform/key-store/data-keys.js';
import { masterKeysOf } from '../platform/key-store/key-file.js';
import { type MasterKeys } from '../platform/key-store/master-keys.js';
import { Secrets } from '../platform/key-store/secrets.js';
import { ReadModelListener } from '../platform/projecting/read-model-listener.js';
import { Outages } from '../platform/store-outages.js';
import { eventCatalogue } from './event-catalogue.js';
import { type StoreAddresses } from './stores.js';

export interface ClientOptions {
  /** PostgreSQL connections that the pool may open. */
  readonly poolSize: number;
  /** Logs broken connections and retried appends. Without a logger nothing is logged. */
  readonly logger?: Logger;
  /** Milliseconds after which a call to the event store counts as stalled. */
  readonly stallTimeoutMs?: number;
  /** Counts the appends of the event store's client. */
  readonly observer?: AppendObserver;
}

/** The clients of both stores. Neither opens a connection before its first use. */
export interface StoreClients {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  /** Closes the clients. Everything that uses them must have stopped before. */
  close(this: void): Promise<void>;
}

/** The store clients and everything that reads or writes encrypted events with them. */
export interface Platform extends StoreClients {
  readonly masterKeys: MasterKeys;
  readonly dataKeys: DataKeys;
  readonly secrets: Secrets;
  readonly codec: Codec;
  /** A listener that has been started. */
  readonly listener: ReadModelListener;
}

/** Makes the only event store client of a thread (docs/adr/0003) and a PostgreSQL pool. */
export function createStoreClients(stores: Pick<StoreAddresses, 'databaseUrl' | 'eventStoreUrl'>, options: ClientOptions): StoreClients {
  const { poolSize, logger } = options;
  const outages = new Outages();
  const pool = createPool(stores.databaseUrl, poolSize, (error) => {
    if (outages.isNew(error)) logger?.warn({ reason: error.message }, 'a database connection broke');
  });
  const eventStore = createEventStore(stores.eventStoreUrl, options);
  return {
    pool,
    eventStore,
    close: async () => {
      await eventStore.close();
      await pool.end();
    },
  };
}

/** Makes an event store client without a pool, for example for the event store that events are copied to. */
export function createEventStore(eventStoreUrl: string, options: Omit<ClientOptions, 'poolSize'> = {}): EventStore {
  const { logger, stallTimeoutMs, observer } = options;
  return new EventStore(eventStoreUrl, {
    onWarning: (message) => {
      logger?.warn(message);
    },
    ...(stallTimeoutMs === undefined ? {} : { stallTimeoutMs }),
    ...(observer === undefined ? {} : { observer }),
  });
}

/**
 * Wires pool, event store, keys, codec and read-model listener. The API, the background thread and the command line all use this function,
 * so that the wiring and the order of closing exist once: the listener first, then the event store, then the pool.
 * @throws Error when PostgreSQL does not answer or the master keys cannot be read
 */
export async function connectPlatform(stores: StoreAddresses, options: ClientOptions): Promise<Platform> {
  const clients = createStoreClients(stores, options);
  try {
    const masterKeys = masterKeysOf(stores);
    const dataKeys = new DataKeys(clients.pool, masterKeys);
    const listener = new ReadModelListener(stores.databaseUrl, clients.pool);
    listener.onKeyDestroyed((rupaId) => {
      dataKeys.forget(rupaId);
    });
    dataKeys.useCacheWhile(() => listener.live);
    await listener.start();
    return {
      ...clients,
      masterKeys,
      dataKeys,
      secrets: new Secrets(clients.pool, masterKeys),
      codec: new Codec(eventCatalogue, dataKeys),
      listener,
      close: async () => {
        await listener.stop();
        await clients.close();
      },
    };
  } catch (error) {
    await clients.close();
    throw error;
  }
}
