import pg from 'pg';

const DURABLE = ['fsync', 'synchronous_commit', 'full_page_writes'];
/** Settings of the service's PostgreSQL. With the defaults, a peer's would write checkpoints more often and plan for a spinning disk. */
const SERVICE_SETTINGS = ["max_wal_size = '2GB'", 'random_page_cost = 1.1'];

export async function query<Row extends pg.QueryResultRow>(databaseUrl: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** Checks that the database acknowledges only commits that are on disk. @throws Error if it does not. */
export async function requireDurable(databaseUrl: string): Promise<void> {
  const rows = await query<{ name: string; setting: string }>(databaseUrl, 'select name, setting from pg_settings where name = any($1)', [
    DURABLE,
  ]);
  const off = rows.filter(({ setting }) => setting !== 'on').map(({ name, setting }) => `${name} = ${setting}`);
  if (off.length > 0) throw new Error(`The database is not durable: ${off.join(', ')}. Both sides of a comparison must be.`);
}

/** Gives the database the settings of the service's PostgreSQL. */
export async function applyServiceSettings(databaseUrl: string): Promise<void> {
  for (const setting of SERVICE_SETTINGS) await query(databaseUrl, `alter system set ${setting}`);
  await query(databaseUrl, 'select pg_reload_conf()');
}

/** Writes a checkpoint in each database, so that dirty pages of one side are not written while the other one is measured. */
export async function writeCheckpoints(databaseUrls: readonly string[]): Promise<void> {
  for (const url of databaseUrls) await query(url, 'checkpoint');
}
