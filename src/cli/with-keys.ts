import { type Pool } from 'pg';
import { LOCKS } from '../platform/database/locks.js';
import { createPool } from '../platform/database/pool.js';
import { masterKeysOf } from '../platform/key-store/key-file.js';
import { type MasterKeys } from '../platform/key-store/master-keys.js';
import { withStores } from './with-app.js';

const POOL_SIZE = 2;

export interface OpenKeys {
  readonly pool: Pool;
  /** As they are at this moment. */
  readonly masterKeys: () => MasterKeys;
  /** Where they lie, if the service made them itself. */
  readonly file: string | undefined;
}

/** The key store and the master keys, of a running service or not. */
export async function withKeys<T>(work: (keys: OpenKeys) => Promise<T>): Promise<T> {
  return await withStores(async ({ stores, logger }) => {
    const pool = createPool(stores.databaseUrl, POOL_SIZE, (error) => {
      logger.warn({ reason: error.message }, 'a database connection broke');
    });
    try {
      return await work({ pool, masterKeys: () => masterKeysOf(stores), file: stores.masterKeyFile });
    } finally {
      await pool.end();
    }
  });
}

/** For what changes the keys: one at a time. @throws Error where another one is at it. */
export async function alone<T>({ pool }: OpenKeys, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [LOCKS.keyRotation]);
    if (rows[0]?.held !== true) throw new Error('Somebody else is rotating the keys at this moment. Wait for that to end.');
    return await work();
  } finally {
    // With the connection goes the lock.
    client.release(true);
  }
}
