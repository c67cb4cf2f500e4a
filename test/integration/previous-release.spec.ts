import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { createMigratedDatabase, testPool } from '../support/database.js';

/** Statements of the previous release, which named the table of stored responses `ops.kept_answer`. */
const BEGIN = `insert into ops.kept_answer as k (partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leased_until)
  values ('p1', 'key', 'body', $1, 'rp-1', gen_random_uuid(), now() + interval '20 seconds')
  on conflict (partner_id, key_hash) do update set lookup_id = excluded.lookup_id, begun_at = now(), answer = null
  where k.answer is null
  returning lookup_id, answer`;
const KEEP = "update ops.kept_answer set answer = 'ciphertext', leased_until = now() where key_hash = 'key' and answer is null";
const CLEAN_UP = "delete from ops.kept_answer where begun_at < now() - interval '24 hours'";

describe('a process of the previous release, during a rolling upgrade', () => {
  let pool: Pool;
  let database: Awaited<ReturnType<typeof createMigratedDatabase>>;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 1);
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('stores responses that a process of this release reads', async () => {
    expect((await pool.query(BEGIN, ['l1'])).rows).toStrictEqual([{ lookup_id: 'l1', answer: null }]);
    expect((await pool.query(BEGIN, ['l2'])).rows).toStrictEqual([{ lookup_id: 'l2', answer: null }]);
    expect((await pool.query(KEEP)).rowCount).toBe(1);
    expect((await pool.query(BEGIN, ['l3'])).rows).toStrictEqual([]);
    const { rows } = await pool.query('select lookup_id, response, begun_at <= now() as begun from ops.stored_response');
    expect(rows).toStrictEqual([{ lookup_id: 'l2', response: 'ciphertext', begun: true }]);
  });

  it('removes responses after 24 hours', async () => {
    await pool.query("update ops.stored_response set begun_at = now() - interval '25 hours'");
    expect((await pool.query(CLEAN_UP)).rowCount).toBe(1);
  });
});
