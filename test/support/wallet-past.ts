import { createPool } from '../../src/platform/database/pool.js';
import { Rejection } from '../../src/platform/event-sourcing/decider.js';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { Codec } from '../../src/platform/event-sourcing/coding/codec.js';
import { type EventCatalogue } from '../../src/platform/event-sourcing/coding/event-schema.js';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { DataKeys } from '../../src/platform/key-store/data-keys.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { type WalletCommand } from '../../src/contexts/wallet/domain/wallet-command.js';
import { storesOf } from './service-log.js';
import { type Application } from './service.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { StreamWriter } from '../../src/platform/event-sourcing/writing/stream-writer.js';

/**
 * Executes commands at the times that they name. A command that the wallet rejects is skipped.
 * @param catalogue the event types as the release knows them that executed the commands
 */
export async function givenPast(
  service: Application,
  commands: readonly WalletCommand[],
  catalogue: EventCatalogue = eventCatalogue,
): Promise<void> {
  const { eventStoreUrl, databaseUrl, masterKey } = await storesOf(service);
  const pool = createPool(databaseUrl, 1, () => undefined);
  const eventStore = new EventStore(eventStoreUrl);
  try {
    const stream = new StreamWriter(eventStore, new Codec(catalogue, new DataKeys(pool, MasterKeys.parse(masterKey))), WALLET_STREAMS);
    for (const command of commands) {
      await stream.execute(command.partner_id, command).catch((error: unknown) => {
        if (!(error instanceof Rejection)) throw error;
      });
    }
  } finally {
    await eventStore.close();
    await pool.end();
  }
}
