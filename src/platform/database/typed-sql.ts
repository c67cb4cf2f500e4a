import { CompiledQuery, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
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

/** Returns the rows of a statement in a snapshot, to be read once, one after another. @throws errors of the database */
export async function listOf<R extends object>(snapshot: Snapshot, statement: { compile(): CompiledQuery<R> }): Promise<AsyncIterable<R>> {
  const { sql, parameters } = statement.compile();
  return await snapshot.list<R>(sql, parameters);
}

type ColumnNames<R extends object> = { readonly [Column in keyof R & string]: string };

/**
 * Returns a table's columns with its alias, for a statement that is text because it is prepared, or because its plan depends on how it is
 * written. Such a statement with a wrong name does not compile either.
 */
export function columnsOf<R extends object>(alias: string): ColumnNames<R> {
  const name = (_columns: object, column: string | symbol): string => `${alias}.${String(column)}`;
  const names: unknown = new Proxy({}, { get: name });
  return names as ColumnNames<R>;
}

/** Returns a statement that is text, for {@link rowsOf} and {@link listOf}. */
export function textStatement<R>(text: string, values: readonly unknown[]): { compile(): CompiledQuery<R> } {
  return { compile: () => CompiledQuery.raw(text, [...values]) };
}
