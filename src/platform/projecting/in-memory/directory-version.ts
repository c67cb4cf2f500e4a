import { type ClientBase, type Pool } from 'pg';

/** Notification channel that makes instances clear their caches of partners, API keys and prices. */
export const DIRECTORY_CHANNEL = 'rupa_directory';

/**
 * Raises the version of the directory (partners, API keys and prices) and notifies every instance, both when the transaction commits.
 * It belongs at the end of the transaction, because it locks a row that all such transactions share.
 */
export async function announceDirectoryChange(client: ClientBase | Pool): Promise<void> {
  await client.query(
    `with changed as (
       insert into ops.directory as d (id, version) values (true, 1) on conflict (id) do update set version = d.version + 1 returning version)
     select pg_notify($1, version::text) from changed`,
    [DIRECTORY_CHANNEL],
  );
}

/** Returns the version of the last committed change. */
export async function directoryVersion(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ version: number }>('select coalesce((select version from ops.directory), 0) as version');
  return rows[0]?.version ?? 0;
}
