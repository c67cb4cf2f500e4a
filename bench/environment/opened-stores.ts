import { openStores, type Stores } from '../../src/stores/stores.js';
import { readSettings } from '../../src/settings/read.js';
import { migrate } from '../../src/stores/migrations.js';
import { type CleanUp } from '../support/clean-up.js';

export interface OpenedStores {
  readonly stores: Stores;
  stop(this: void): Promise<void>;
}

/** Opens the stores of a data folder without the service, as the command line does. */
export async function openStoresOf(cleanUp: CleanUp, dataDir: string): Promise<OpenedStores> {
  const stores = await openStores(readSettings({ DATA_DIR: dataDir }), () => undefined);
  const stop = cleanUp.add(() => stores.stop());
  await migrate(stores.databaseUrl);
  return { stores, stop };
}
