import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { createPool } from '../../src/platform/database/pool.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { until } from '../support/until.js';

describe('the pool of connections', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = createPool(database.url, 3, () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('compiles no statement, on any connection, also after one was lost', async () => {
    const settings = async (): Promise<unknown[]> => {
      const clients = await Promise.all([1, 2, 3].map(() => pool.connect()));
      try {
        const results = await Promise.all(clients.map((client) => client.query<{ jit: string }>('show jit')));
        return results.map(({ rows }) => rows[0]?.jit);
      } finally {
        for (const client of clients) client.release();
      }
    };
    expect(await settings()).toStrictEqual(['off', 'off', 'off']);
    await pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    );
    await until(() => pool.totalCount === 1);
    expect(await settings()).toStrictEqual(['off', 'off', 'off']);
  });
});
