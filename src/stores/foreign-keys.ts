import { createPool } from '../platform/database/pool.js';
import { refuseWrongMasterKeys } from '../platform/key-store/check-master-keys.js';
import { RowMacs } from '../platform/projecting/row-macs.js';
import { masterKeysOf } from '../platform/key-store/master-keys.js';
import { type StoreAddresses } from './stores.js';

/** Returns what signs rows from before an upgrade. @throws Error if the master keys are not those of the database */
export async function ownRowMacs(stores: StoreAddresses): Promise<RowMacs> {
  await refuseForeignKeys(stores);
  return new RowMacs(masterKeysOf(stores));
}

/**
 * Checks that the master keys are those of the database, whose tables must exist.
 * @throws Error that names MASTER_KEY, or the file of generated keys, if they are not
 */
export async function refuseForeignKeys(stores: StoreAddresses): Promise<void> {
  const pool = createPool(stores.databaseUrl, 1, () => undefined);
  try {
    await refuseWrongMasterKeys(pool, masterKeysOf(stores), stores.masterKeyFile ?? 'MASTER_KEY');
  } finally {
    await pool.end();
  }
}
