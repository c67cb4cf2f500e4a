import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { migrate } from '../../src/stores/migrations.js';
import { createPool, isDatabaseUrl } from '../../src/platform/database/pool.js';
import { createTestDatabase, type TestDatabase } from '../support/database.js';

describe('a URL of PostgreSQL', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createTestDatabase();
  });
  afterEach(() => database.drop());

  it.each<[string, (url: URL) => string]>([
    ['that prefers TLS, on a server without it', ({ href }) => `${href}?sslmode=prefer`],
    ['that allows TLS, with another option', ({ href }) => `${href}?sslmode=allow&application_name=x`],
    [
      'whose host and port are in its query, as for a socket',
      ({ username, password, hostname, port, pathname }) => `postgres://${username}:${password}@${pathname}?host=${hostname}&port=${port}`,
    ],
  ])('connects and migrates: %s', async (_what, urlOf) => {
    const url = urlOf(new URL(database.url));
    expect(isDatabaseUrl(url)).toBe(true);
    await migrate(url);
    const pool = createPool(url, 1, () => undefined);
    try {
      const { rows } = await pool.query<{ name: string; tables: number }>(
        "select current_database() as name, (select count(*) from pg_tables where schemaname = 'ops')::int as tables",
      );
      expect(rows).toStrictEqual([{ name: new URL(database.url).pathname.slice(1), tables: expect.any(Number) }]);
      expect(rows[0]?.tables).toBeGreaterThan(0);
    } finally {
      await pool.end();
    }
  });
});
