import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

/** Returns the files under a folder that contain one of the values anywhere in their bytes. */
export function filesHolding(folder: string, values: readonly Buffer[]): string[] {
  return readdirSync(realpathSync(folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => {
      const bytes = contents(file);
      return values.some((value) => bytes.includes(value));
    });
}

/** Returns the tables, including system catalogues, in which a row contains one of the values in any column. */
export async function tablesHolding(databaseUrl: string, values: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables union all select 'pg_catalog.pg_stats' order by 1`,
    );
    const found: string[] = [];
    for (const { name } of rows) {
      const { rowCount } = await client.query(`select from ${name} t where t::text ~ $1 limit 1`, [
        values.join('|').replaceAll('.', '\\.'),
      ]);
      if (rowCount !== 0) found.push(name);
    }
    return found;
  } finally {
    await client.end();
  }
}

/** Returns the bytes of a file, or none if the database has deleted it in the meantime. */
function contents(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
