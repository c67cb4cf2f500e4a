import { type ClientBase } from 'pg';
import { type NamedMigration } from '../platform/database/run-migrations.js';
import { type RowMacs } from '../platform/projecting/row-macs.js';

/** The migrations that give operational tables MACs, with these tables. */
const SIGNINGS = {
  '0030-webhook-macs': ['ops.webhook_delivery', 'ops.notification'],
  '0031-key-macs': ['ops.deactivated_key', 'ops.api_key_end'],
  '0032-recipient-macs': ['ops.notification_recipient'],
  '0034-notified-event-macs': ['ops.notified_event'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/**
 * Returns a migration that gives tables MACs. The rows from before get theirs once, before this migration (signRows). A row that something
 * else adds has the default, which never holds.
 */
export function signing(name: keyof typeof SIGNINGS): NamedMigration {
  const tables: readonly string[] = SIGNINGS[name];
  const statements = tables.flatMap((table) => [
    `alter table ${table} add column if not exists mac text`,
    `alter table ${table} alter column mac set default '', alter column mac set not null`,
  ]);
  return { name, statements };
}

/** Returns the migrations, of which those that give tables MACs first sign the rows that are there. */
export function prepared(migrations: readonly NamedMigration[], macs?: () => Promise<RowMacs>): readonly NamedMigration[] {
  const signed: Readonly<Record<string, readonly string[]>> = SIGNINGS;
  return migrations.map((each) => {
    const tables = signed[each.name];
    return tables ? { ...each, prepare: (client) => signRows(client, tables, macs) } : each;
  });
}

async function signRows(client: ClientBase, signed: readonly string[], macs?: () => Promise<RowMacs>): Promise<void> {
  for (const table of signed) await client.query(`alter table ${table} add column if not exists mac text`);
  const { rows } = await client.query<{ some: boolean }>(
    `select ${signed.map((table) => `exists (select from ${table} where mac is null)`).join(' or ')} as some`,
  );
  if (!rows[0]?.some) return;
  if (!macs) throw new Error('Rows of an earlier release need MACs, which only the service and its command line can compute.');
  const [{ signUnsigned }, { OPERATIONAL_TABLES }] = await Promise.all([
    import('../platform/projecting/renew-macs.js'),
    import('../contexts/operational-tables.js'),
  ]);
  const tables = OPERATIONAL_TABLES.filter(({ name }) => signed.includes(`ops.${name}`));
  await signUnsigned(client, await macs(), tables);
}
