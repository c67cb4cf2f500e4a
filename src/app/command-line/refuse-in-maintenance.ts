import { maintenanceInForce, unlessMissing } from '../../contexts/maintenance/recorded-maintenance.js';
import { maintenanceMessage } from '../../http/limiting/maintenance-mode.js';
import { Codec } from '../../platform/event-sourcing/coding/codec.js';
import { type DataKeys } from '../../platform/key-store/data-keys.js';
import { eventCatalogue } from '../../stores/event-catalogue.js';
import { createStoreClients } from '../../stores/store-clients.js';
import { type StoreAddresses } from '../../stores/stores.js';

/**
 * Refuses a command that changes something while maintenance is in force. The clients are closed before the command opens its own
 * (docs/adr/0003).
 * @throws Error that says how to end it
 */
export async function refuseCommandInMaintenance(stores: StoreAddresses): Promise<void> {
  const { eventStore, close } = createStoreClients(stores, { poolSize: 1 });
  try {
    // The events of maintenance have no personal fields, so the codec never asks for a key.
    const found = await unlessMissing(maintenanceInForce(eventStore, new Codec(eventCatalogue, {} as DataKeys), new Date()));
    if (found) throw new Error(`${maintenanceMessage(found)}\nTo end it, run: rupa maintenance off`);
  } finally {
    await close();
  }
}
