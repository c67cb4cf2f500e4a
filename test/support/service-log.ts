import { findRunning } from '../../embedded/data-folder.js';
import { eventCatalogue } from '../../src/app/event-catalogue.js';
import { Codec } from '../../src/platform/event-sourcing/codec.js';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { type DataKeys } from '../../src/platform/key-store/data-keys.js';
import { WalletStream } from '../../src/contexts/wallet/wallet-stream.js';
import { type Application } from './service.js';

/** The log of a running service with its embedded store, behind the service's back. */
export interface ServiceLog {
  readonly eventStore: EventStore;
  /** Decides as the service does. */
  readonly wallets: WalletStream;
}

/** Where the stores of a running service are, and the key that its secrets are under. */
export async function storesOf({ dataDir, stores }: Pick<Application, 'dataDir' | 'stores'>): Promise<{
  readonly eventStoreUrl: string;
  readonly databaseUrl: string;
  readonly masterKey: string;
}> {
  const running = await findRunning(dataDir);
  const databaseUrl = stores.DATABASE_URL ?? running?.databaseUrl;
  const masterKey = stores.MASTER_KEY ?? running?.secrets.masterKey;
  if (!running?.eventStoreUrl || !databaseUrl || !masterKey)
    throw new Error('No service with an embedded event store runs on that folder.');
  return { eventStoreUrl: running.eventStoreUrl, databaseUrl, masterKey };
}

export async function openLog(service: Application): Promise<ServiceLog> {
  const { eventStoreUrl } = await storesOf(service);
  const eventStore = new EventStore(eventStoreUrl);
  // Nothing in a wallet is encrypted: no key is ever asked for.
  return { eventStore, wallets: new WalletStream(eventStore, new Codec(eventCatalogue, {} as DataKeys)) };
}
