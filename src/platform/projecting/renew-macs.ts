import { type ClientBase, type Pool } from 'pg';
import { primaryOf } from '../database/schema.js';
import { type Authenticated } from './projection.js';
import { type CheckedTable } from './read-table.js';
import { type RowMacs, schemaOf } from './row-macs.js';

const BATCH_ROWS = 1_000;
/** The projector may still commit rows under the old key during a pass; the next pass finds them. */
const PASSES = 3;

type AnyRow = Authenticated & Readonly<Record<string, unknown>>;

/** Gives the rows that have a MAC under an older master key one under the current key, while services run. Returns how many. */
export async function renewMacs(pool: Pool, macs: RowMacs, tables: readonly CheckedTable[], signal?: AbortSignal): Promise<number> {
  let renewed = 0;
  for (const table of await existing(pool, tables)) {
    for (let pass = 1; pass <= PASSES; pass += 1) {
      const before = renewed;
      for await (const rows of rowsWhere(pool, table, UNDER_OTHER_KEYS, [macs.currentKeyId])) {
        signal?.throwIfAborted();
        renewed += await replaceMacs(
          pool,
          macs,
          table,
          rows.filter((row) => macs.holds(table.table, row)),
        );
      }
      if (renewed === before) break;
    }
  }
  return renewed;
}

/**
 * Returns how many rows have a MAC under the master key, in every table that has MACs: a newer release may have added tables that this one
 * does not know, and nothing could check their rows any more without the key.
 * @param except names of tables whose rows go by themselves and are renewed by nobody
 */
export async function rowsUnderKey(pool: Pool, keyId: string, except: readonly string[] = []): Promise<number> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'mac' and not a.attisdropped
     where n.nspname in ('ops', 'read') and c.relkind = 'r' and c.relname <> all($1)`,
    [except],
  );
  const counts = tables.map(async ({ name }) => {
    const { rows } = await pool.query<{ count: number }>(`select count(*) from ${name} where split_part(mac, ':', 1) = $1`, [keyId]);
    return rows[0]?.count ?? 0;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Returns those of the tables that have MACs already. Before the first start there are none. */
async function existing(pool: Pool, tables: readonly CheckedTable[]): Promise<CheckedTable[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select n.nspname || '.' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'mac' and not a.attisdropped where n.nspname || '.' || c.relname = any($1)`,
    [tables.map(nameOf)],
  );
  return tables.filter((table) => rows.some(({ name }) => name === nameOf(table)));
}

function nameOf({ name, table }: CheckedTable): string {
  return `${schemaOf(table)}.${name}`;
}

/** Selects the rows that have a MAC under another master key than $1. */
const UNDER_OTHER_KEYS = "split_part(mac, ':', 1) not in ('', $1)";

/** Gives the rows from before a table had MACs theirs. It can be interrupted, and goes on with those that are left. */
export async function signUnsigned(client: ClientBase, macs: RowMacs, tables: readonly CheckedTable[]): Promise<void> {
  for (const table of tables)
    for await (const rows of rowsWhere(client, table, 'mac is null', [])) await replaceMacs(client, macs, table, rows);
}

async function* rowsWhere(
  client: Pool | ClientBase,
  checked: CheckedTable,
  condition: string,
  values: readonly unknown[],
): AsyncGenerator<AnyRow[]> {
  const primary = primaryOf(checked.table);
  const key = primary.map((column) => column.name).join(', ');
  for (let after: readonly unknown[] = []; ;) {
    const from = after.length === 0 ? '' : `and (${key}) > (${after.map((_, index) => `$${values.length + index + 1}`).join(', ')})`;
    const text = `select * from ${nameOf(checked)} where ${condition} ${from} order by ${key} limit ${BATCH_ROWS}`;
    const { rows } = await client.query<AnyRow>(text, [...values, ...after]);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH_ROWS) return;
    after = primary.map((column) => last[column.name]);
  }
}

/** Gives rows MACs under the current key. One that has changed since it was read has a new one already. */
async function replaceMacs(client: Pool | ClientBase, macs: RowMacs, checked: CheckedTable, rows: readonly AnyRow[]): Promise<number> {
  const { table } = checked;
  const primary = primaryOf(table);
  const renewed = macs.authenticate(table, rows).map((row, index) => ({
    ...Object.fromEntries(primary.map((column) => [column.name, row[column.name]])),
    was: rows[index]?.mac,
    mac: row.mac,
  }));
  const columns = primary.map((column) => `${column.name} ${column.type}`).join(', ');
  const matches = primary.map((column) => `t.${column.name} = r.${column.name}`).join(' and ');
  const { rowCount } = await client.query(
    `update ${nameOf(checked)} t set mac = r.mac from json_to_recordset($1) as r(${columns}, was text, mac text) where ${matches} and t.mac is not distinct from r.was`,
    [JSON.stringify(renewed)],
  );
  return rowCount ?? 0;
}
