import pg from 'pg';
import { PreferredTls, withoutPreferredTls } from './prefer-tls.js';
import { SessionClient, type SessionConfig } from './session-client.js';
import { type SessionOptions } from './session-settings.js';

/** Type OIDs of PostgreSQL. */
const INT8 = 20;
const TIMESTAMPTZ = 1184;
/** A time as PostgreSQL writes it with the settings that sessions pin, with up to six decimals. */
const UTC_TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00$/;

/** Parses int8 (kobo, counts, ids) as exact numbers and times as ISO 8601 in UTC. Type numeric (positions) stays a decimal string. */
const types = new pg.TypeOverrides();
types.setTypeParser(INT8, safeInteger);
types.setTypeParser(TIMESTAMPTZ, isoTime);

export function connectionConfig(databaseUrl: string, session: SessionOptions = { statements: 'request' }): SessionConfig {
  return { ...address(databaseUrl), types, application_name: 'rupa-ledger', connectionTimeoutMillis: 10_000, session };
}

function address(databaseUrl: string): pg.ClientConfig {
  const preferred = withoutPreferredTls(databaseUrl);
  if (preferred === undefined) return { connectionString: databaseUrl };
  return { connectionString: preferred, ssl: false, stream: () => new PreferredTls() };
}

/** Returns the name of the database to which the URL leads. */
export function databaseName(databaseUrl: string): string | undefined {
  return new pg.Client(address(databaseUrl)).database;
}

/** Returns whether the driver can parse the URL. Connects to nothing. */
export function isDatabaseUrl(text: string): boolean {
  try {
    return new pg.Client(address(text)).port > 0;
  } catch {
    return false;
  }
}

export function createPool(
  databaseUrl: string,
  max: number,
  onError: (error: Error) => void,
  session: SessionOptions = { statements: 'request' },
): pg.Pool {
  return createSessionPool(connectionConfig(databaseUrl, session), max, onError);
}

export function createSessionPool(config: SessionConfig, max: number, onError: (error: Error) => void): pg.Pool {
  return watched(new pg.Pool(poolConfig(config, max)), onError);
}

/** Returns the options of a pool whose connections are {@link SessionClient}s. */
export function poolConfig(config: SessionConfig, max: number): pg.PoolConfig & SessionConfig {
  return { ...config, max, Client: SessionClient };
}

/** Adds the listener without which a broken connection would end the process. */
export function watched<P extends pg.Pool>(pool: P, onError: (error: Error) => void): P {
  // An idle connection that breaks is replaced on the next use; without a listener it would end the process.
  pool.on('error', onError);
  return pool;
}

/** Runs `work` with a connection of the pool. */
export async function withClient<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}

/** Runs `work` in a transaction, which is rolled back if it throws. `begin` may contain further statements, such as `set local`. */
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
  if (!Number.isSafeInteger(value)) throw new RangeError(`The integer ${text} from the database is too large for an exact number.`);
  return value;
}

/** Parsing a date takes six times as long as exchanging the few characters in which the forms of a time of four-digit years differ. */
function isoTime(text: string): string {
  const [, day, time, decimals = ''] = UTC_TIME.exec(text) ?? [];
  return day === undefined ? new Date(text).toISOString() : `${day}T${time}.${decimals.slice(0, 3).padEnd(3, '0')}Z`;
}
