import type pg from 'pg';
import { LOCKS } from './instances/locks.js';
import { connectionConfig, databaseName, poolConfig } from './pool.js';
import { SessionClient } from './session-client.js';

const TABLE = 'migration';
const MIGRATION_CONNECTIONS = 2;
const MAINTENANCE = { statements: 'maintenance' } as const;

/** A change of the database's schema, which runs once and in one transaction. */
export interface NamedMigration {
  readonly name: string;
  readonly statements: readonly string[];
  /** Runs before the transaction, after the migrations before this one. It may run more than once, because it can be interrupted. */
  readonly prepare?: (client: pg.ClientBase) => Promise<void>;
}

/**
 * Runs the migrations that have not run on this database yet. Only one instance does so at a time; the others wait. If all have run, this
 * only reads their names: MikroORM's migrator takes a quarter of a second to load, which every start and command would pay.
 */
export async function runMigrations(databaseUrl: string, migrations: readonly NamedMigration[]): Promise<void> {
  const client = new SessionClient(connectionConfig(databaseUrl, MAINTENANCE));
  await client.connect();
  try {
    if (await haveRun(client, migrations)) return;
    await client.query('select pg_advisory_lock($1)', [LOCKS.migrations]);
    await runPending(databaseUrl, migrations, client);
  } finally {
    await client.end();
  }
}

async function haveRun(client: pg.Client, migrations: readonly NamedMigration[]): Promise<boolean> {
  const { rows: tables } = await client.query<{ exists: boolean }>(`select to_regclass('public.${TABLE}') is not null as exists`);
  if (!tables[0]?.exists) return false;
  const { rows } = await client.query<{ name: string }>(`select name from public.${TABLE}`);
  const names = new Set(rows.map(({ name }) => name));
  return migrations.every(({ name }) => names.has(name));
}

async function runPending(databaseUrl: string, migrations: readonly NamedMigration[], client: pg.ClientBase): Promise<void> {
  const [{ MikroORM }, { Migration, Migrator }] = await Promise.all([import('@mikro-orm/postgresql'), import('@mikro-orm/migrations')]);
  const migrationsList = migrations.map(({ name, statements }) => ({
    name,
    class: class extends Migration {
      override up(): void {
        for (const statement of statements) this.addSql(statement);
      }
    },
  }));
  const orm = new MikroORM({
    // MikroORM cannot parse every URL that pg can, and takes neither host nor sslmode from its query.
    dbName: databaseName(databaseUrl) ?? '',
    // Without the service's settings, a schema named like the user would receive the table of the migrations.
    driverOptions: poolConfig(connectionConfig(databaseUrl, MAINTENANCE), MIGRATION_CONNECTIONS),
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: { migrationsList, tableName: TABLE, schema: 'public', snapshot: false, silent: true },
  });
  try {
    const pending = new Set((await orm.migrator.getPending()).map(({ name }) => name));
    for (const [index, { name, prepare }] of migrations.entries()) {
      if (!prepare || !pending.has(name)) continue;
      const before = migrations[index - 1]?.name;
      if (before !== undefined && pending.has(before)) await orm.migrator.up({ to: before });
      await prepare(client);
    }
    await orm.migrator.up();
  } finally {
    await orm.close();
  }
}
