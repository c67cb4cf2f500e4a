import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { databaseOutage } from '../../src/platform/database/database-outage.js';
import { connectionConfig } from '../../src/platform/database/pool.js';
import { createTestDatabase, type TestDatabase, testPool } from '../support/database.js';
import { startSilentProxy } from '../support/silent-proxy.js';
import { freePort } from '../support/starting.js';
import { until } from '../support/until.js';

/** Long enough for a database on a busy machine to respond, and short enough for a test to wait until it has passed. */
const LIMIT_MS = 3_000;

/** Returns the error that the work ends with. */
async function errorOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('an error of the real driver', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  const closing: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = testPool(database.url, 4);
    await pool.query('create table one (id int primary key)');
    await pool.query('insert into one values (1), (2)');
  });
  afterAll(async () => {
    for (const close of closing) await close();
    await pool.end();
    await database.drop();
  });

  const poolOf = (url: URL | string, more: pg.PoolConfig = {}): pg.Pool => {
    const own = new pg.Pool({ ...connectionConfig(String(url)), max: 1, ...more });
    own.on('error', () => undefined);
    own.on('connect', (client) => client.on('error', () => undefined));
    closing.push(() => own.end());
    return own;
  };
  const changed = (change: (url: URL) => void): URL => {
    const url = new URL(database.url);
    change(url);
    return url;
  };
  /** Without a time limit: a resolver may take longer than the usual one to say that it cannot be reached. */
  const connecting = (change: (url: URL) => void): Promise<unknown> =>
    errorOf(poolOf(changed(change), { connectionTimeoutMillis: 0 }).query('select 1'));

  it('is an outage if no connection can be made', async () => {
    const port = String(await freePort());
    const errors = {
      refused: await connecting((url) => (url.port = port)),
      // Resolvers say either that there is no such name, or that they cannot be reached.
      name: await connecting((url) => (url.hostname = 'nowhere.invalid')),
      password: await connecting((url) => (url.password = 'wrong')),
      database: await connecting((url) => (url.pathname = '/nowhere')),
    };
    expect(Object.fromEntries(Object.entries(errors).map(([name, error]) => [name, databaseOutage(error)]))).toStrictEqual({
      refused: 'The database does not answer.',
      name: 'The name of the database’s host does not resolve.',
      password: 'The database refuses the user or password in DATABASE_URL.',
      database: 'The database that DATABASE_URL names does not exist.',
    });
  });

  it('is an outage if the database falls silent, or all connections of the pool are in use', async () => {
    const { hostname, port } = new URL(database.url);
    const proxy = await startSilentProxy(Number(port), hostname);
    closing.push(() => proxy.close());
    const through = changed((url) => {
      url.hostname = '127.0.0.1';
      url.port = String(proxy.port);
    });
    const short = { connectionTimeoutMillis: LIMIT_MS };
    const busy = poolOf(through, short);
    // The limit is short, so a busy machine may need several attempts to get what the test begins with.
    const used = await until(() => busy.connect().catch(() => undefined));
    expect(databaseOutage(await errorOf(busy.connect()))).toBe('No connection to the database became free in time.');
    used.release();
    const reading = poolOf(through, { query_timeout: LIMIT_MS });
    await until(() => reading.query('select 1').catch(() => undefined));
    proxy.silence();
    const client = new pg.Client({ ...connectionConfig(through.href), ...short });
    client.on('error', () => undefined);
    const unanswered = [reading.query('select 1'), poolOf(through, short).connect(), client.connect()];
    const errors = await Promise.all(unanswered.map(errorOf));
    expect(errors.map(databaseOutage)).toStrictEqual(errors.map(() => 'The database does not answer.'));
  });

  it('is an outage if the connection is ended, in the statement and after it', async () => {
    const own = poolOf(database.url);
    const client = await own.connect();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    const sleeping = errorOf(client.query('select pg_sleep(60)'));
    await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
    expect(databaseOutage(await sleeping)).toBeDefined();
    expect(databaseOutage(await errorOf(client.query('select 1')))).toBe('The database does not answer.');
    client.release(true);
    const ended = poolOf(database.url);
    closing.pop();
    await ended.end();
    expect(databaseOutage(await errorOf(ended.query('select 1')))).toBe('This process is stopping.');
  });

  it.each([
    ['a time limit of a statement', "set statement_timeout = '10ms'; select pg_sleep(60)"],
    ['a time limit of a lock', "begin; set local lock_timeout = '10ms'; select * from one for update"],
    ['a read-only transaction', 'begin; set transaction read only; insert into one values (3)'],
    ...['53000', '53100', '53200', '53300', '57P03', '58030', '40001', '40P01'].map(
      (state) => [`the state ${state}`, `do $$ begin raise exception 'injected' using errcode = '${state}'; end $$`] as const,
    ),
  ])('is an outage if it is %s', async (_name, statements) => {
    const other = await pool.connect();
    await other.query('begin; select * from one for update');
    const client = await poolOf(database.url).connect();
    const error = await errorOf(client.query(statements));
    client.release(true);
    await other.query('rollback');
    other.release();
    expect(error).toBeInstanceOf(Error);
    expect(databaseOutage(error)).toMatch(/\.$/);
  });

  it.each([
    ['a statement that cannot be parsed', 'select from where'],
    ['a table that does not exist', 'select * from nowhere'],
    ['a row that exists', 'insert into one values (1)'],
    ['a value out of range', 'select 1000000 * 1000000'],
    ['an integer that is not exact', 'select 9007199254740993::int8'],
    [
      'a row of an index that is too large',
      "create temp table t (x text); create index on t (x); insert into t select string_agg(md5(n::text), '') from generate_series(1, 9000) n",
    ],
  ])('is a fault of the service if it is %s', async (_name, statements) => {
    const error = await errorOf(pool.query(statements));
    expect(error).toBeInstanceOf(Error);
    expect(databaseOutage(error)).toBeUndefined();
  });
});
