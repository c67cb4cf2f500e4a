import { type Pool } from 'pg';
import { primaryOf } from '../database/schema.js';
import { type Authenticated, authenticatedTables, type Projection } from './projection.js';
import { type ReadTable } from './read-table.js';
import { type RowMacs } from './row-macs.js';

const BATCH_ROWS = 1_000;
/** The projector may still commit rows under the old key during a pass; the next pass finds them. */
const PASSES = 3;

type AnyRow = Authenticated & Readonly<Record<string, unknown>>;

/** Gives the rows that have a MAC under an older master key one under the current key, while services run. Returns how many. */
export async function renewMacs(pool: Pool, macs: RowMacs, projections: readonly Projection[], signal?: AbortSignal): Promise<number> {
  let renewed = 0;
  for (const projection of await existing(pool, projections)) {
    for (let pass = 1; pass <= PASSES; pass += 1) {
      const before = renewed;
      for await (const rows of rowsUnderOtherKeys(pool, projection, macs.currentKeyId)) {
        signal?.throwIfAborted();
        renewed += await renew(pool, macs, projection, rows);
      }
      if (renewed === before) break;
    }
  }
  return renewed;
}

/** Returns how many rows have a MAC under the master key. */
export async function rowsUnderKey(pool: Pool, projections: readonly Projection[], keyId: string): Promise<number> {
  const counts = (await existing(pool, projections)).map(async ({ name }) => {
    const { rows } = await pool.query<{ count: number }>(`select count(*) from read.${name} where split_part(mac, ':', 1) = $1`, [keyId]);
    return rows[0]?.count ?? 0;
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
}

/** Returns the read models whose rows have MACs. Before the first start there are none. */
async function existing(pool: Pool, projections: readonly Projection[]): Promise<ReadTable[]> {
  const authenticated = authenticatedTables(projections);
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attname = 'mac' and not a.attisdropped where n.nspname = 'read' and c.relname = any($1)`,
    [authenticated.map(({ name }) => name)],
  );
  return authenticated.filter(({ name }) => rows.some((row) => row.name === name));
}

async function* rowsUnderOtherKeys(pool: Pool, { name, table }: ReadTable, currentId: string): AsyncGenerator<AnyRow[]> {
  const primary = primaryOf(table);
  const key = primary.map((column) => column.name).join(', ');
  for (let after: readonly unknown[] = []; ;) {
    const from = after.length === 0 ? '' : `and (${key}) > (${after.map((_, index) => `$${index + 2}`).join(', ')})`;
    const text = `select * from read.${name} where split_part(mac, ':', 1) not in ('', $1) ${from} order by ${key} limit ${BATCH_ROWS}`;
    const { rows } = await pool.query<AnyRow>(text, [currentId, ...after]);
    if (rows.length > 0) yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < BATCH_ROWS) return;
    after = primary.map((column) => last[column.name]);
  }
}

/** A row that does not hold keeps its MAC, and one that has changed since it was read has a new one already. */
async function renew(pool: Pool, macs: RowMacs, { name, table }: ReadTable, rows: readonly AnyRow[]): Promise<number> {
  const primary = primaryOf(table);
  const genuine = rows.filter((row) => macs.holds(table, row));
  const renewed = macs.authenticate(table, genuine).map((row, index) => ({
    ...Object.fromEntries(primary.map((column) => [column.name, row[column.name]])),
    was: genuine[index]?.mac,
    mac: row.mac,
  }));
  const columns = primary.map((column) => `${column.name} ${column.type}`).join(', ');
  const matches = primary.map((column) => `t.${column.name} = r.${column.name}`).join(' and ');
  const { rowCount } = await pool.query(
    `update read.${name} t set mac = r.mac from json_to_recordset($1) as r(${columns}, was text, mac text) where ${matches} and t.mac = r.was`,
    [JSON.stringify(renewed)],
  );
  return rowCount ?? 0;
}
