import { type CompiledQuery, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { type Pool } from 'pg';
import { type Snapshot } from './held-rows.js';

/**
 * Builds statements on these tables. The compiler knows their columns, so a statement with a wrong name does not compile, and the rows of
 * {@link rowsOf} have its type. Nothing is executed here.
 * @typeParam Tables rows by the table's name with its schema
 */
export function statementsOn<Tables>(): Kysely<Tables> {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

/** Executes a statement, and returns its rows, which must not be many. @throws errors of the database */
export async function rowsOf<R>(client: Pick<Pool, 'query'> | Snapshot, statement: { compile(): CompiledQuery<R> }): Promise<R[]> {
  const { sql, parameters } = statement.compile();
  if ('rows' in client) return (await client.rows(sql, parameters)) as R[];
  return (await client.query(sql, [...parameters])).rows as R[];
}
