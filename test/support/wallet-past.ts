import { findRunning } from '../../embedded/data-folder.js';
import { createPool } from '../../src/platform/database/pool.js';
import { Refusal } from '../../src/platform/event-sourcing/decider.js';
import { eventCatalogue } from '../../src/app/event-catalogue.js';
import { Codec } from '../../src/platform/event-sourcing/codec.js';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { DataKeys } from '../../src/platform/key-store/data-keys.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { type WalletCommand } from '../../src/contexts/wallet/domain/wallet.js';
import { WalletStream } from '../../src/contexts/wallet/wallet-stream.js';
import { type TestService } from './service.js';

/** Gives a wallet a past, at the times that the commands say: what the wallet refuses is left out. */
export async function givenPast(service: TestService, commands: readonly WalletCommand[]): Promise<void> {
  const running = await findRunning(service.dataDir);
  if (!running?.databaseUrl || !running.eventStoreUrl) throw new Error('No service with stores of its own runs on the folder.');
  const pool = createPool(running.databaseUrl, 1, () => undefined);
  const eventStore = new EventStore(running.eventStoreUrl);
  try {
    const stream = new WalletStream(eventStore, new Codec(eventCatalogue, new DataKeys(pool, MasterKeys.parse(running.secrets.masterKey))));
    for (const command of commands) {
      await stream.execute(command.partner_id, command).catch((error: unknown) => {
        if (!(error instanceof Refusal)) throw error;
      });
    }
  } finally {
    await eventStore.close();
    await pool.end();
  }
}
