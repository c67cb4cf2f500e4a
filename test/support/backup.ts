import pg from 'pg';
import { migrate } from '../../src/stores/migrations.js';

/** The rows of each table, as `pg_dump` would save them. */
export type Backup = ReadonlyMap<string, readonly object[]>;

/** Saves all tables of one schema in one snapshot. */
export async function backUp(url: string, schema: string): Promise<Backup> {
  return await connected(url, async (client) => {
    await client.query('begin isolation level repeatable read');
    const { rows: tables } = await client.query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = $1",
      [schema],
    );
    const found = new Map<string, readonly object[]>();
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: object }>(`select to_jsonb(t) as row from ${name} t`);
      found.set(
        name,
        rows.map(({ row }) => row),
      );
    }
    return found;
  });
}

/** Restores into an empty database without the schema `read`, as after `pg_dump -N read`. Sequences continue after the restored rows. */
export async function restore(url: string, ...backups: readonly Backup[]): Promise<void> {
  await migrate(url);
  await connected(url, async (client) => {
    await client.query('drop schema read');
    for (const [name, rows] of backups.flatMap((backup) => [...backup])) {
      await client.query(`insert into ${name} overriding system value select * from jsonb_populate_recordset(null::${name}, $1)`, [
        JSON.stringify(rows),
      ]);
      const { rows: identities } = await client.query<{ column: string }>(
        "select attname as column from pg_attribute where attrelid = $1::regclass and attidentity <> ''",
        [name],
      );
      for (const { column } of identities)
        await client.query(`select setval(pg_get_serial_sequence($1, $2), coalesce(max(${column}), 0) + 1, false) from ${name}`, [
          name,
          column,
        ]);
    }
  });
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
