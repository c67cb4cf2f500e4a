import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import pg, { type Pool } from 'pg';
import { ReadModelListener } from '../../src/platform/projecting/in-memory/read-model-listener.js';
import { DIRECTORY_CHANNEL } from '../../src/platform/projecting/in-memory/directory-lease.js';
import { createMigratedDatabase, createTestDatabase, type TestDatabase, testPool } from '../support/database.js';
import { until } from '../support/until.js';

describe('a listener that cannot start', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = testPool(database.url, 2);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('closes its connection, so that further attempts do not use up those of PostgreSQL', async () => {
    // This database has no tables, so the listener connects and then fails to read its position.
    const listeners = Array.from({ length: 5 }, () => new ReadModelListener(database.url, pool));
    const started = await Promise.allSettled(listeners.map((listener) => listener.start()));
    expect(new Set(started.map(({ status }) => status))).toStrictEqual(new Set(['rejected']));
    await until(async () => {
      const { rows } = await pool.query<{ others: number }>(
        'select count(*) as others from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      // The pool itself has at most one more connection.
      return (rows[0]?.others ?? 0) <= 1;
    });
  });
});

describe('a listener', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 2);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('sends one query at a time, however many changes it is told of', async () => {
    const inProgress = new Map<unknown, number>();
    let most = 0;
    const query = jest.spyOn(pg.Client.prototype, 'query') as unknown as jest.Mock<(...values: unknown[]) => unknown>;
    const original = query.getMockImplementation() as (...values: unknown[]) => Promise<unknown>;
    query.mockImplementation(function (this: unknown, ...values: unknown[]) {
      const count = (inProgress.get(this) ?? 0) + 1;
      inProgress.set(this, count);
      most = Math.max(most, count);
      const done = (): void => void inProgress.set(this, (inProgress.get(this) ?? 0) - 1);
      const result: unknown = Reflect.apply(original, this, values);
      if (result instanceof Promise) void result.then(done, done);
      else done();
      return result;
    });
    const listener = new ReadModelListener(database.url, pool);
    let changes = 0;
    listener.onDirectoryChanged(() => (changes += 1));
    await listener.start();
    await pool.query(`select pg_notify('${DIRECTORY_CHANNEL}', n::text) from generate_series(1, 100) n`);
    await until(() => changes >= 100 && listener.live);
    await listener.stop();
    expect(most).toBe(1);
  });
});
