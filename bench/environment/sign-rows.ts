import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { createPool } from '../../src/platform/database/pool.js';
import { primaryOf } from '../../src/platform/database/schema.js';
import { type CheckedTable } from '../../src/platform/projecting/read-table.js';
import { RowMacs, schemaOf } from '../../src/platform/projecting/row-macs.js';

const PAGE = 2_000;

/** Gives the rows of a table that a scenario has written itself the MACs without which the service would refuse them. */
export async function signRows(
  stores: { readonly databaseUrl: string; readonly masterKey: string },
  { name, table }: CheckedTable,
): Promise<void> {
  const macs = new RowMacs(MasterKeys.parse(stores.masterKey));
  const primary = primaryOf(table);
  const key = primary.map((column) => column.name).join(', ');
  const matches = primary.map((column) => `t.${column.name} = r.${column.name}`).join(' and ');
  const columns = primary.map((column) => `${column.name} ${column.type}`).join(', ');
  const pool = createPool(stores.databaseUrl, 1, () => undefined);
  try {
    for (let after: readonly unknown[] = [], size = PAGE; size === PAGE;) {
      const from = after.length === 0 ? '' : `where (${key}) > (${after.map((_, index) => `$${index + 1}`).join(', ')})`;
      const { rows } = await pool.query<Record<string, unknown>>(
        `select * from ${schemaOf(table)}.${name} ${from} order by ${key} limit ${PAGE}`,
        [...after],
      );
      const signed = macs
        .authenticate(
          table,
          rows.map(({ mac: _mac, ...row }) => row),
        )
        .map((row) => ({ ...Object.fromEntries(primary.map((column) => [column.name, row[column.name]])), mac: row.mac }));
      await pool.query(
        `update ${schemaOf(table)}.${name} t set mac = r.mac from json_to_recordset($1) as r(${columns}, mac text) where ${matches}`,
        [JSON.stringify(signed)],
      );
      size = rows.length;
      after = primary.map((column) => rows.at(-1)?.[column.name]);
    }
  } finally {
    await pool.end();
  }
}
