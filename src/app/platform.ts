import { NOTIFICATIONS_CHANNEL } from '../contexts/webhooks/notifying/notification-writer.js';
import { Codec } from '../platform/event-sourcing/coding/codec.js';
import { DataKeys } from '../platform/key-store/data-keys.js';
import { masterKeysOf, type MasterKeys } from '../platform/key-store/master-keys.js';
import { Secrets } from '../platform/key-store/secrets.js';
import { ReadModelListener } from '../platform/projecting/in-memory/read-model-listener.js';
import { recordForgedRows } from '../platform/projecting/forged-rows.js';
import { RowMacs } from '../platform/projecting/row-macs.js';
import { eventCatalogue } from '../stores/event-catalogue.js';
import { type ClientOptions, createStoreClients, type StoreClients } from '../stores/store-clients.js';
import { type StoreAddresses } from '../stores/stores.js';

/** The store clients and everything that reads or writes encrypted events with them. */
export interface Platform extends StoreClients {
  readonly masterKeys: MasterKeys;
  readonly dataKeys: DataKeys;
  readonly secrets: Secrets;
  readonly codec: Codec;
  readonly macs: RowMacs;
  /** A listener that has been started. */
  readonly listener: ReadModelListener;
}

export interface PlatformOptions extends ClientOptions {
  /** Further channels of notifications that the listener listens to. */
  readonly channels?: readonly string[];
}

/**
 * Wires pool, event store, keys, codec and read-model listener. The API, the background thread and the command line all use this function,
 * so that the wiring and the order of closing exist once: the listener first, then the event store, then the pool.
 * @throws Error when PostgreSQL does not answer or the master keys cannot be read
 */
export async function connectPlatform(stores: StoreAddresses, { channels = [], ...options }: PlatformOptions): Promise<Platform> {
  const clients = createStoreClients(stores, options);
  try {
    const masterKeys = masterKeysOf(stores);
    const dataKeys = new DataKeys(clients.pool, masterKeys);
    const listener = new ReadModelListener(stores.databaseUrl, clients.pool, [NOTIFICATIONS_CHANNEL, ...channels]);
    listener.onKeyDestroyed((rupaId) => {
      dataKeys.forget(rupaId);
    });
    dataKeys.useCacheWhileLive(listener);
    const macs = new RowMacs(masterKeys);
    recordForgedRows(clients.pool, macs);
    await clients.compareClocks();
    await listener.start();
    return {
      ...clients,
      masterKeys,
      dataKeys,
      secrets: new Secrets(clients.pool, masterKeys),
      codec: new Codec(eventCatalogue, dataKeys),
      macs,
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
