import pg from 'pg';

/** PostgreSQL's own type numbers. */
const INT8 = 20;
const TIMESTAMPTZ = 1184;

/** Integers (kobo, counts, ids) come as exact numbers, times as ISO 8601 in UTC, numeric (positions) as decimal strings. */
const types = new pg.TypeOverrides();
types.setTypeParser(INT8, safeInteger);
types.setTypeParser(TIMESTAMPTZ, isoTime);

export function connectionConfig(databaseUrl: string): pg.ClientConfig {
  return { connectionString: databaseUrl, types, application_name: 'rupa-ledger', connectionTimeoutMillis: 10_000 };
}

export function createPool(databaseUrl: string, max: number, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool({ ...connectionConfig(databaseUrl), max });
  // An idle connection that breaks is replaced on the next use; without a listener it would end the process.
  pool.on('error', onError);
  // One that breaks between two statements of a transaction has nobody else to tell: the next statement fails, which is enough.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  return pool;
}

/** Lends `work` a connection; one that it broke is not used again. */
export async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

/** Runs `work` in one transaction, which is rolled back if it throws. `begin` may set what holds for it alone. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>, begin = 'begin'): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((rollbackError: unknown) => {
      broken = rollbackError instanceof Error ? rollbackError : new Error(String(rollbackError));
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is no exact number.`);
  return value;
}

function isoTime(text: string): string {
  return new Date(text).toISOString();
}
