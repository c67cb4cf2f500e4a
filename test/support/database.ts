import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { connectionConfig, createSessionPool } from '../../src/platform/database/pool.js';
import { type SessionOptions } from '../../src/platform/database/session-settings.js';

export interface TestDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Creates an empty database in the run's PostgreSQL. */
export const createTestDatabase = (): Promise<TestDatabase> => create('template1');

/** Creates a database with the key store's and the operational tables, as the first start of a service would. */
export const createMigratedDatabase = (): Promise<TestDatabase> => create(given('TEST_DATABASE_TEMPLATE'));

async function create(template: string): Promise<TestDatabase> {
  const cluster = given('TEST_DATABASE_URL');
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await execute(cluster, `create database ${name} template ${template}`);
  const url = new URL(cluster);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(cluster, `drop database if exists ${name} with (force)`) };
}

/**
 * A pool that waits for a connection for as long as it takes. With the service's limit, a test on a machine that is paused for ten seconds
 * fails before it has said what it waits for.
 */
export const testPool = (url: string, max: number, session?: SessionOptions): pg.Pool =>
  createSessionPool({ ...connectionConfig(url, session), connectionTimeoutMillis: 0 }, max, () => undefined);

/**
 * Drops a role that a test created, after the databases in which it has privileges. `drop owned by` in such a database would fail at random
 * with "tuple concurrently updated" while a process still changes its tables.
 */
export const dropRole = (role: string): Promise<void> => execute(given('TEST_DATABASE_URL'), `drop role if exists ${role}`);

function given(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is missing: it is set where a Jest project has the global setup.`);
  return value;
}

async function execute(connectionString: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  try {
    await client.connect();
    await client.query(sql);
  } finally {
    await client.end();
  }
}
