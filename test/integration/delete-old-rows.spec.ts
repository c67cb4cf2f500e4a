import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import pino from 'pino';
import { ExpiredResponses } from '../../src/contexts/idempotency/expired-responses.js';
import { deleteOldRows } from '../../src/platform/database/delete-old-rows.js';
import { Metrics } from '../../src/platform/metrics/metrics.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';

const OLD = { table: 'ops.stored_response', column: 'begun_at', seconds: 86_400 };

describe('deleting old rows', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 3);
  });

  beforeEach(async () => {
    await pool.query('truncate ops.stored_response');
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** Adds responses with the given keys that began so many hours ago. */
  async function add(keys: readonly string[], hoursAgo: number): Promise<void> {
    await pool.query(
      `insert into ops.stored_response (partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leased_until, begun_at)
       select 'p1', key, '', '', '', gen_random_uuid(), now(), now() - make_interval(hours => $2) from unnest($1::text[]) as key`,
      [keys, hoursAgo],
    );
  }

  async function keys(): Promise<string[]> {
    const { rows } = await pool.query<{ key_hash: string }>('select key_hash from ops.stored_response order by key_hash');
    return rows.map(({ key_hash }) => key_hash);
  }

  it('deletes all of them in statements of a limited size, and no younger row', async () => {
    // All rows of a time are inserted by one statement, so more rows than a statement deletes have an equal time.
    await add(['a', 'b', 'c', 'd', 'e'], 30);
    await add(['f', 'g'], 25);
    await add(['young'], 23);
    const deleted: number[] = [];
    await deleteOldRows(pool, OLD, { rowsPerStatement: 2, onDeleted: (_table, rows) => deleted.push(rows) });
    expect(deleted).toStrictEqual([2, 2, 2, 1]);
    expect(await keys()).toStrictEqual(['young']);
  });

  it('keeps rows for which the condition does not hold', async () => {
    await add(['a', 'kept'], 30);
    await deleteOldRows(pool, { ...OLD, where: "key_hash <> 'kept'" });
    expect(await keys()).toStrictEqual(['kept']);
  });

  it('leaves rows that another transaction has locked, and does not wait for it', async () => {
    await add(['free', 'locked'], 30);
    const client = await pool.connect();
    try {
      await client.query("begin; select from ops.stored_response where key_hash = 'locked' for update");
      await deleteOldRows(pool, OLD);
      expect(await keys()).toStrictEqual(['locked']);
    } finally {
      await client.query('rollback');
      client.release();
    }
    await deleteOldRows(pool, OLD);
    expect(await keys()).toStrictEqual([]);
  });

  it('begins no further statement once it is stopped', async () => {
    await add(['a', 'b', 'c'], 30);
    const stopping = new AbortController();
    await deleteOldRows(pool, OLD, {
      rowsPerStatement: 1,
      signal: stopping.signal,
      onDeleted: () => {
        stopping.abort();
      },
    });
    expect(await keys()).toHaveLength(2);
  });

  it('counts expired stored responses in the metric', async () => {
    await add(['a', 'b'], 25);
    await add(['young'], 23);
    const metrics = new Metrics();
    await new ExpiredResponses(pool, pino({ level: 'silent' }), metrics.deletedRows).delete();
    expect(await keys()).toStrictEqual(['young']);
    expect(await metrics.registry.metrics()).toContain('rupa_deleted_rows_total{table="ops.stored_response"} 2\n');
  });

  it('reads the rows to delete from the index of their time', async () => {
    await add(
      Array.from({ length: 5_000 }, (_, index) => `young-${index}`),
      1,
    );
    await add(['a', 'b', 'c'], 30);
    await pool.query('analyze ops.stored_response');
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      "explain select ctid from ops.stored_response where begun_at < now() - make_interval(secs => 86400) and begun_at >= '-infinity' order by begun_at limit 2 for update skip locked",
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('begun_at_idx');
  });
});
