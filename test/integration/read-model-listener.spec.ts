import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { createPool } from '../../src/platform/database/pool.js';
import { ReadModelListener } from '../../src/platform/projecting/read-model-listener.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';

describe('a listener that cannot start', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.url, 2, () => undefined);
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
