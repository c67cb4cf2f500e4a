import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { readSnapshot } from '../../src/platform/database/held-rows.js';
import { createTestDatabase, type TestDatabase, testPool } from '../support/database.js';

const CONNECTIONS = 2;
/** Several pages, and not a multiple of one. */
const MANY = 1_601;
const rowsOf = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1 }));

describe('rows that PostgreSQL holds for a reader', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = testPool(database.url, CONNECTIONS);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query('drop table if exists item; create table item (id integer)');
    await pool.query('insert into item select generate_series(1, $1::int)', [MANY]);
  });
  afterEach(() => {
    expect([pool.totalCount - pool.idleCount, pool.waitingCount]).toStrictEqual([0, 0]);
  });

  const read = (limit: number) =>
    readSnapshot(pool, async (snapshot) => ({
      count: (await snapshot.rows<{ count: number }>('select count(*) from item', []))[0]?.count,
      first: await snapshot.list<{ id: number }>('select id from item where id <= $1 order by id', [limit]),
      second: await snapshot.list<{ id: number }>('select id from item order by id', []),
    }));

  it.each([0, 1, 499, 500, 501, 1_000, MANY])('are those of one snapshot, in order, for a list of %i', async (limit) => {
    await using found = await read(limit);
    await pool.query('delete from item');
    expect(found.count).toBe(MANY);
    expect(await Array.fromAsync(found.first)).toStrictEqual(rowsOf(limit));
    expect(await Array.fromAsync(found.second)).toStrictEqual(rowsOf(MANY));
  });

  it('delay no statement that locks their table, such as the swap of a rebuilt one', async () => {
    await using found = await read(MANY);
    await pool.query("set lock_timeout = '1s'; drop table item; create table item (id integer)");
    expect(await Array.fromAsync(found.first)).toStrictEqual(rowsOf(MANY));
  });

  it('hold a connection until they are disposed of, but none if there are few', async () => {
    const many = await read(1);
    expect(pool.totalCount - pool.idleCount).toBe(1);
    await many[Symbol.asyncDispose]();
    await pool.query('delete from item where id > 10');
    const few = await read(5);
    expect(pool.totalCount - pool.idleCount).toBe(0);
    expect(await Array.fromAsync(few.second)).toStrictEqual(rowsOf(10));
    await few[Symbol.asyncDispose]();
  });

  it('leave nothing behind in a connection that is used again', async () => {
    for (let round = 0; round < 3 * CONNECTIONS; round += 1) await (await read(MANY))[Symbol.asyncDispose]();
    const { rows } = await pool.query<{ count: number }>('select count(*) from pg_cursors');
    expect(rows).toStrictEqual([{ count: 0 }]);
  });

  it('cannot be read after they were disposed of, also while they are being read', async () => {
    const found = await read(MANY);
    const rest = expect(Array.fromAsync(found.first)).rejects.toThrow();
    await found[Symbol.asyncDispose]();
    await rest;
    await expect(Array.fromAsync(found.second)).rejects.toThrow('their connection is closed');
  });

  it('free their connection if they cannot be read', async () => {
    await expect(readSnapshot(pool, (snapshot) => snapshot.rows('select nonsense', []))).rejects.toThrow('nonsense');
    await expect(readSnapshot(pool, (snapshot) => snapshot.list('select 1 / (id - 400) from item', []))).rejects.toThrow('division');
    await using found = await readSnapshot(pool, async (snapshot) => {
      await snapshot.list('select id from item', []);
      return { fine: true };
    });
    expect(found.fine).toBe(true);
  });
});
