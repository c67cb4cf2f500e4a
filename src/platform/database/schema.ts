import { type Migration, Migrator } from '@mikro-orm/migrations';
import { type AbstractSqlDriver, type Configuration, type EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { LOCKS } from './locks.js';
import { connectionConfig } from './pool.js';

export interface NamedMigration {
  readonly name: string;
  readonly class: new (driver: AbstractSqlDriver, config: Configuration) => Migration;
}

/** Runs the migrations that have not run on this database yet. Only one instance does so at a time; the others wait. */
export async function runMigrations(databaseUrl: string, migrationsList: readonly NamedMigration[]): Promise<void> {
  const lock = new pg.Client(connectionConfig(databaseUrl));
  // Without a listener, a broken connection would end the process. The migrations report the failure themselves.
  lock.on('error', () => undefined);
  await lock.connect();
  try {
    await lock.query('select pg_advisory_lock($1)', [LOCKS.migrations]);
    const orm = await MikroORM.init({
      clientUrl: databaseUrl,
      discovery: { warnWhenNoEntities: false },
      extensions: [Migrator],
      migrations: { migrationsList: [...migrationsList], tableName: 'migration', schema: 'public', snapshot: false, silent: true },
    });
    try {
      await orm.migrator.up();
    } finally {
      await orm.close();
    }
  } finally {
    await lock.end();
  }
}

/** Returns the statements that create a read model's table and indexes in `schema`. */
export async function tableStatements(table: EntitySchema, schema: string): Promise<string> {
  const orm = await MikroORM.init({ entities: [table], schema, dbName: 'unused' });
  return await orm.schema.getCreateSchemaSQL({ wrap: false });
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly primary: boolean;
}

/** Returns the columns of a table in the order of its definition. */
export function columnsOf(table: EntitySchema): readonly Column[] {
  return Object.entries(table.meta.properties as Record<string, { columnType?: string; primary?: boolean }>).map(([name, property]) => ({
    name,
    type: property.columnType ?? 'text',
    primary: property.primary ?? false,
  }));
}
