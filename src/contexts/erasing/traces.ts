import { setTimeout as delay } from 'node:timers/promises';
import pg, { type Pool } from 'pg';
import { type Logger } from 'pino';

/** What opens encrypted data lies here: rewritten whatever its size (3 s for a million farmers, in which keys that nobody holds wait). */
const KEYS = 'key_store.data_key';
/** What is, or was, personal in clear. */
const READ_MODELS = ['read.farmer_profile', 'read.contribution'];
/** PostgreSQL notes the commonest values of columns. */
const STATISTICS = 'pg_catalog.pg_statistic';
/** A larger table would be closed to lookups for longer than anybody should wait while it is rewritten. */
const REWRITE_MAX_BYTES = 64 * 1024 * 1024;
/** Readers are kept waiting for so long by one try, at most. */
const LOCK_MS = 150;
const LOCK_ATTEMPTS = 200;
const LOCK_NOT_AVAILABLE = '55P03';
const INSUFFICIENT_PRIVILEGE = '42501';
const OLD_SNAPSHOT_POLL_MS = 50;
const OLD_SNAPSHOT_WARN_AFTER = 200;

/**
 * What PostgreSQL replaces or deletes stays in its files until the space is used again. This writes the tables anew without it and
 * ends the write-ahead log's old segments, as far as the database's owner may and readers do not have to wait (docs/adr/0008).
 */
export async function overwriteTraces(pool: Pool, logger: Logger, signal: AbortSignal): Promise<void> {
  const client = new pg.Client(pool.options);
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query(`set lock_timeout = ${LOCK_MS}`);
    await rewrite(client, `vacuum (full) ${KEYS}`, logger, signal);
    for (const table of READ_MODELS) await rewriteIfSmall(client, table, logger, signal);
    // PostgreSQL passes over what is not the user's to clean.
    await rewrite(client, `vacuum (full) ${STATISTICS}`, logger, signal);
    await ifPermitted(client, 'select pg_switch_wal()');
    await ifPermitted(client, 'checkpoint');
  } finally {
    await client.end();
  }
}

/** Each time anew: what the step before replaced is still seen by whoever began before that. */
async function rewrite(client: pg.Client, statement: string, logger: Logger, signal: AbortSignal): Promise<void> {
  await olderTransactionsEnded(client, logger, signal);
  await whenFree(client, statement, signal);
}

/**
 * While there is a transaction from before, PostgreSQL copies the old rows along: for one that sees them, but also for one that has
 * written and is between two statements, and for a worker that gathers statistics, which only its title tells from one that vacuums.
 */
async function olderTransactionsEnded(client: pg.Client, logger: Logger, signal: AbortSignal): Promise<void> {
  const { rows } = await client.query<{ now: string }>('select pg_current_xact_id()::xid::text as now');
  const now = rows[0]?.now ?? '0';
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    const { rowCount } = await client.query(
      `select from pg_stat_activity where (backend_type = 'client backend' or query like 'autovacuum: %ANALYZE%') and pid <> pg_backend_pid()
         and greatest(age(backend_xid), age(backend_xmin)) >= age($1::text::xid)
         and datid = (select oid from pg_database where datname = current_database())`,
      [now],
    );
    if (rowCount === 0) return;
    if (attempt === OLD_SNAPSHOT_WARN_AFTER)
      logger.warn('the old bytes of an erasure wait for a transaction that was begun before it; pg_stat_activity names it');
    await delay(OLD_SNAPSHOT_POLL_MS, undefined, { signal });
  }
}

async function rewriteIfSmall(client: pg.Client, table: string, logger: Logger, signal: AbortSignal): Promise<void> {
  const { rows } = await client.query<{ bytes: number }>('select pg_total_relation_size($1::text::regclass) as bytes', [table]);
  const small = (rows[0]?.bytes ?? 0) <= REWRITE_MAX_BYTES;
  await rewrite(client, `vacuum (${small ? 'full, ' : ''}analyze) ${table}`, logger, signal);
  if (small) return;
  logger.warn(
    { table },
    `an erasure is done, and its old bytes stay in the table's free space until that is used again; to write it anew beside: rupa projections rebuild ${table.slice('read.'.length)}`,
  );
}

async function whenFree(client: pg.Client, statement: string, signal: AbortSignal): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      await client.query(statement);
      return;
    } catch (error) {
      if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE || attempt === LOCK_ATTEMPTS) throw error;
      await delay(LOCK_MS + Math.random() * LOCK_MS, undefined, { signal });
    }
  }
}

async function ifPermitted(client: pg.Client, statement: string): Promise<void> {
  try {
    await client.query(statement);
  } catch (error) {
    if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error;
  }
}
