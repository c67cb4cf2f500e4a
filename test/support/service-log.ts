import { findRunning } from '../../embedded/data-folder.js';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { Codec } from '../../src/platform/event-sourcing/coding/codec.js';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { type DataKeys } from '../../src/platform/key-store/data-keys.js';
import { type Application } from './service.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { StreamWriter, type WriterOf } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { openPatiently } from './patient-log.js';

/** The event log of a running service with an embedded store, opened by the test itself. */
export interface ServiceLog {
  readonly eventStore: EventStore;
  /** It cannot decrypt anything. */
  readonly codec: Codec;
  /** Decides wallet commands as the service does. */
  readonly wallets: WriterOf<typeof WALLET_STREAMS>;
}

/** Returns the URLs of a running service's stores and the master key of its secrets. */
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
  const eventStore = openPatiently(eventStoreUrl);
  const codec = codecWithoutKeys();
  return { eventStore, codec, wallets: new StreamWriter(eventStore, codec, WALLET_STREAMS) };
}

/** Returns a codec for wallets, whose events are never encrypted, so that it needs no data key. */
export function codecWithoutKeys(): Codec {
  return new Codec(eventCatalogue, {} as DataKeys);
}
