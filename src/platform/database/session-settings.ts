/** The connection reaches a database that this service cannot use until somebody changes it. The message is a sentence for the operator. */
export class DatabaseUnusable extends Error {
  override name = 'DatabaseUnusable';
}

/**
 * Milliseconds after which PostgreSQL cancels a statement, by the kind of work that its connection does. A request has a deadline of 20 s,
 * so a longer statement would work for nobody. Maintenance is a migration, a rebuild, a verification or the overwriting of erased data,
 * whose statements read or write whole tables, and waits for another process that does such work.
 */
const STATEMENT_LIMITS_MS = { request: 20_000, background: 5 * 60_000, maintenance: 12 * 3_600_000 } as const;
export type StatementKind = keyof typeof STATEMENT_LIMITS_MS;
/** Milliseconds by which a response may be later than PostgreSQL's limit: it says that it cancelled the statement, and that takes its way. */
const LATE_BY_MS = 5_000;

export interface SessionOptions {
  readonly statements: StatementKind;
  /** Milliseconds after which a statement fails if nothing comes from PostgreSQL. Default: 5 s after PostgreSQL itself would cancel it. */
  readonly responseLimitMs?: number;
  /** Whether a commit waits until it is on the disk. False only for rows that are nobody's before a later, synchronous commit. */
  readonly durable?: boolean;
  /** Whether the statements read pages of lists, in the order of an index. A statement that reads whole tables is slower with it. */
  readonly pages?: boolean;
}

/**
 * The settings that the statements and the parsers of results rely on. A database, a user or the server may have other defaults: with
 * `datestyle = 'SQL, DMY'` of a user, days and months would be exchanged without an error, and a schema named like the user would receive new
 * tables.
 */
const PINNED: Readonly<Record<string, string>> = {
  array_nulls: 'on',
  backslash_quote: 'safe_encoding',
  bytea_output: 'hex',
  client_encoding: 'UTF8',
  DateStyle: 'ISO, YMD',
  default_transaction_isolation: 'read committed',
  escape_string_warning: 'on',
  extra_float_digits: '1',
  IntervalStyle: 'postgres',
  lock_timeout: '0',
  plan_cache_mode: 'auto',
  row_security: 'on',
  search_path: 'public',
  standard_conforming_strings: 'on',
  TimeZone: 'UTC',
  transform_null_equals: 'off',
  xmlbinary: 'base64',
  // PostgreSQL compiles a statement whose estimated cost is high, each time it runs. The estimate for lookups grows with the reports of each
  // farmer, and the compilation then takes many times as long as the statement.
  jit: 'off',
};

/**
 * Ways to read that are faster than an index in its order only if few rows are left to read. PostgreSQL estimates how many there are from
 * statistics of all partners' rows, and reads and sorts a million rows for a page where it is wrong. Without them, it takes another way only
 * where no index has the order of the page.
 */
const NOT_FOR_PAGES = ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin', 'sort', 'incremental_sort'];

/** Statements for a transaction that reads whole tables on a connection for pages. */
export const READ_WHOLE_TABLES = NOT_FOR_PAGES.map((way) => `set local enable_${way} = on`).join('; ');

/** Raises only a setting that would lose commits: the other values, such as `remote_apply`, are the operator's choice. */
const DURABLE = "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'";

/**
 * Returns the statements that a new connection sends, in one message, before any other. They are no startup options, because PgBouncer
 * refuses those, or drops them without a word (docs/adr/0032).
 */
export function sessionStatements({ statements, durable = true, pages = false }: SessionOptions): string {
  const settings = { ...PINNED, statement_timeout: String(STATEMENT_LIMITS_MS[statements]) };
  return [
    ...Object.entries(settings).map(([name, value]) => `set ${name} = ${name === 'search_path' ? value : `'${value}'`}`),
    ...(pages ? NOT_FOR_PAGES.map((way) => `set enable_${way} = off`) : []),
    durable ? DURABLE : 'set synchronous_commit = off',
    "select current_setting('server_encoding') as encoding",
  ].join('; ');
}

/** Returns the milliseconds after which a statement without a response fails. */
export function responseLimitMs({ statements, responseLimitMs: limitMs }: SessionOptions): number {
  return limitMs ?? STATEMENT_LIMITS_MS[statements] + LATE_BY_MS;
}

/** @throws DatabaseUnusable */
export function refuseEncoding(encoding: string | undefined): void {
  if (encoding === 'UTF8') return;
  throw new DatabaseUnusable(
    `The database that DATABASE_URL names has the encoding ${encoding ?? 'of an unknown server'}, which cannot store every text. Create a database with encoding UTF8 (create database … encoding 'UTF8' template template0), and restore a backup into it.`,
  );
}
