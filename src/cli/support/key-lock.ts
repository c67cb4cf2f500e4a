import { type Pool } from 'pg';
import { LOCKS } from '../../platform/database/instances/locks.js';

/** Runs `work` while no other process changes the master keys. @throws Error if another process does */
export async function withKeyLock<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_lock($1) as held', [LOCKS.keyRotation]);
    if (rows[0]?.held !== true)
      throw new Error('Another process is changing the master keys. Wait until it has finished, then run this again.');
    return await work();
  } finally {
    // The lock belongs to the connection, so it is closed and not returned to the pool.
    client.release(true);
  }
}
