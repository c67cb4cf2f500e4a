import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { type Pool } from 'pg';
import { type Logger } from 'pino';
import { projections } from '../../../../projections/index.js';
import { tablesOf } from '../../../platform/projecting/projection.js';
import { clientLike } from '../../../platform/database/session-client.js';

/** The data keys, rewritten whatever the table's size: it takes 3 s for a million farmers, and reads of uncached keys wait for it. */
const KEYS = 'key_store.data_key';
const READ_MODELS = tablesOf(projections)
  .filter(({ personal }) => personal)
  .map(({ name }) => name);
/** PostgreSQL's statistics, which contain the most common values of each column. */
const STATISTICS = 'pg_catalog.pg_statistic';
/** Larger tables are not rewritten, because the rewrite would block lookups for too long. */
const REWRITE_MAX_BYTES = 64 * 1024 * 1024;
/** Milliseconds that an attempt waits for its lock. Readers wait behind it for at most as long. */
const LOCK_MS = 150;
const LOCK_ATTEMPTS = 200;
const LOCK_NOT_AVAILABLE = '55P03';
const INSUFFICIENT_PRIVILEGE = '42501';
const OLD_SNAPSHOT_POLL_MS = 50;
const OLD_SNAPSHOT_WARN_AFTER = 200;

/**
 * Overwrites the bytes of erased data that are left in PostgreSQL's files, where replaced and deleted rows remain until their space is
 * reused. It rewrites the tables without them and switches the write-ahead log to a new segment, as far as the database's owner is
 * permitted to and without blocking readers for long (docs/adr/0008).
 */
export async function overwriteResidualData(pool: Pool, logger: Logger, signal: AbortSignal): Promise<void> {
  const client = clientLike(pool, { statements: 'maintenance' });
  await client.connect();
  try {
    await client.query(`set lock_timeout = ${LOCK_MS}`);
    await rewrite(client, `vacuum (full) ${KEYS}`, logger, signal);
    for (const name of READ_MODELS) await rewriteIfSmall(client, name, logger, signal);
    // PostgreSQL skips this table with a warning if the user may not vacuum it.
    await rewrite(client, `vacuum (full) ${STATISTICS}`, logger, signal);
    await queryIfPermitted(client, 'select pg_switch_wal()');
    await queryIfPermitted(client, 'checkpoint');
  } finally {
    await client.end();
  }
}

/** Rewrites a table. It waits for older transactions each time, because they still see the rows that the previous step replaced. */
async function rewrite(client: pg.Client, statement: string, logger: Logger, signal: AbortSignal): Promise<void> {
  await waitForOlderTransactions(client, logger, signal);
  await retryOnLockTimeout(client, statement, signal);
}

/**
 * Waits until older transactions have ended, because a rewrite copies the old rows while such a transaction is open. That includes a
 * transaction that has written and is idle between two statements, and an autovacuum worker that runs ANALYZE, which only its query text
 * tells from one that runs VACUUM.
 */
async function waitForOlderTransactions(client: pg.Client, logger: Logger, signal: AbortSignal): Promise<void> {
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
      logger.warn('cannot overwrite the old bytes of an erasure while an older transaction is open; see pg_stat_activity');
    await delay(OLD_SNAPSHOT_POLL_MS, undefined, { signal });
  }
}

async function rewriteIfSmall(client: pg.Client, name: string, logger: Logger, signal: AbortSignal): Promise<void> {
  const table = `read.${name}`;
  const { rows } = await client.query<{ bytes: number }>('select pg_total_relation_size($1::text::regclass) as bytes', [table]);
  const small = (rows[0]?.bytes ?? 0) <= REWRITE_MAX_BYTES;
  await rewrite(client, `vacuum (${small ? 'full, ' : ''}analyze) ${table}`, logger, signal);
  if (small) return;
  logger.warn(
    { table },
    `an erasure is complete, but its old bytes stay in the table's free space until that is reused, because the table is too large to rewrite in place; to rewrite it now, run: rupa projections rebuild ${name}`,
  );
}

async function retryOnLockTimeout(client: pg.Client, statement: string, signal: AbortSignal): Promise<void> {
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

async function queryIfPermitted(client: pg.Client, statement: string): Promise<void> {
  try {
    await client.query(statement);
  } catch (error) {
    if ((error as { code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error;
  }
}
