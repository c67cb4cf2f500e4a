import pg from 'pg';

const DURABLE = ['fsync', 'synchronous_commit', 'full_page_writes'];
/** What the service's own PostgreSQL is started with; a peer's would otherwise write its pages out more often, and plan for another disk. */
const SAME_AS_OURS = ["max_wal_size = '2GB'", 'random_page_cost = 1.1'];

export async function query<Row extends pg.QueryResultRow>(databaseUrl: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** Both sides of a comparison answer only for what is on disk. @throws Error where a database does not */
export async function requireDurable(databaseUrl: string): Promise<void> {
  const rows = await query<{ name: string; setting: string }>(databaseUrl, 'select name, setting from pg_settings where name = any($1)', [
    DURABLE,
  ]);
  const off = rows.filter(({ setting }) => setting !== 'on').map(({ name, setting }) => `${name} = ${setting}`);
  if (off.length > 0) throw new Error(`A database is not durable: ${off.join(', ')}.`);
}

export async function likeOurs(databaseUrl: string): Promise<void> {
  for (const setting of SAME_AS_OURS) await query(databaseUrl, `alter system set ${setting}`);
  await query(databaseUrl, 'select pg_reload_conf()');
}

/** Pages that one side has left to be written must not be written while the other is measured. */
export async function settle(databaseUrls: readonly string[]): Promise<void> {
  for (const url of databaseUrls) await query(url, 'checkpoint');
}
