import { findRunning } from '../../embedded/data-folder.js';
import { eventCatalogue } from '../../src/app/event-catalogue.js';
import { Codec } from '../../src/platform/event-sourcing/codec.js';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { type DataKeys } from '../../src/platform/key-store/data-keys.js';
import { WalletStream } from '../../src/contexts/wallet/wallet-stream.js';
import { type TestService } from './service.js';

/** The log of a running service with its embedded store, behind the service's back. */
export interface ServiceLog {
  readonly eventStore: EventStore;
  /** Decides as the service does. */
  readonly wallets: WalletStream;
}

export async function openLog({ dataDir }: TestService): Promise<ServiceLog> {
  const { eventStoreUrl } = (await findRunning(dataDir)) ?? {};
  if (!eventStoreUrl) throw new Error('No service runs on that folder.');
  const eventStore = new EventStore(eventStoreUrl);
  // Nothing in a wallet is sealed: no key is ever asked for.
  return { eventStore, wallets: new WalletStream(eventStore, new Codec(eventCatalogue, {} as DataKeys)) };
}
