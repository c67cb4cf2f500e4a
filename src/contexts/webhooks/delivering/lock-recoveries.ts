import { type PoolClient } from 'pg';

/**
 * Locks recoveries of the endpoints until the end of the transaction. Each recovery supersedes the one before it as a whole, and none may
 * queue a notification while a reset deletes it.
 */
export async function lockRecoveries(client: PoolClient, endpointIds: readonly number[]): Promise<void> {
  for (const id of endpointIds) await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`recovery of ${id}`]);
}
