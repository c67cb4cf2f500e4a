import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ActsOnce, type Result } from '../../src/console/acts/acts-once.js';
import { EncryptedTexts, KeptThings, OLD_SECRETS } from '../../src/console/acts/kept-things.js';
import { deleteOldRows } from '../../src/platform/database/delete-old-rows.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { MASTER_KEY } from '../support/row-macs.js';

const DONE: Result = { goTo: '/console', said: { tone: 'good', text: 'Done.' } };

describe('an act of the console', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let one: ActsOnce;
  let other: ActsOnce;
  let acts = 0;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 8 });
    const api = (waitMs?: number): ActsOnce => new ActsOnce(pool, new EncryptedTexts(MasterKeys.parse(MASTER_KEY)), waitMs);
    [one, other] = [api(), api()];
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const perform = (): Promise<Result> => {
    acts += 1;
    return Promise.resolve({ ...DONE, goTo: `/console/${acts}` });
  };
  const fails = (): Promise<Result> => Promise.reject(new Error('The process failed in the middle.'));
  const submitted = (key: string, hash = 'typed') => ({ key, hash });

  it('is carried out once, whichever APIs its submissions reach at once', async () => {
    const before = acts;
    const results = await Promise.all([one, other, one, other].map((api) => api.run(submitted('at-once'), perform)));
    expect([new Set(results.map((result) => JSON.stringify(result))).size, acts]).toStrictEqual([1, before + 1]);
    expect(await other.run(submitted('at-once'), fails)).toStrictEqual(results[0]);
  });

  it('lets a repeated submission wait for the result of the first one', async () => {
    const [held, began] = [Promise.withResolvers<Result>(), Promise.withResolvers<undefined>()];
    const first = one.run(submitted('waits'), () => {
      began.resolve(undefined);
      return held.promise;
    });
    await began.promise;
    const repeated = other.run(submitted('waits'), fails);
    expect(await Promise.race([repeated, new Promise((resolve) => setImmediate(resolve, 'waits'))])).toBe('waits');
    held.resolve(DONE);
    expect([await first, await repeated]).toStrictEqual([DONE, DONE]);
  });

  it('is said to be running to a repeated submission that has waited long enough', async () => {
    const impatient = new ActsOnce(pool, new EncryptedTexts(MasterKeys.parse(MASTER_KEY)), 1);
    const held = Promise.withResolvers<Result>();
    const began = Promise.withResolvers<undefined>();
    const first = one.run(submitted('runs'), () => {
      began.resolve(undefined);
      return held.promise;
    });
    await began.promise;
    expect(await impatient.run(submitted('runs'), fails)).toBe('running');
    held.resolve(DONE);
    await first;
  });

  it('is carried out under another key only if something else was typed', async () => {
    await one.run(submitted('typed'), perform);
    expect(await other.run(submitted('typed', 'something else'), fails)).toBe('other-values');
  });

  it('is carried out by the same form once a rejected one was corrected', async () => {
    const refused: Result = { ...DONE, refused: true };
    expect(await one.run(submitted('refused'), () => Promise.resolve(refused))).toStrictEqual(refused);
    expect(await other.run(submitted('refused', 'corrected'), () => Promise.resolve(DONE))).toStrictEqual(DONE);
  });

  it('is not repeated when it failed in the middle, nor when its process died', async () => {
    await expect(one.run(submitted('failed'), fails)).rejects.toThrow('in the middle');
    expect(await other.run(submitted('failed'), fails)).toBe('interrupted');
    const never = new Promise<Result>(() => undefined);
    const began = Promise.withResolvers<undefined>();
    void one.run(submitted('died'), () => {
      began.resolve(undefined);
      return never;
    });
    await began.promise;
    await pool.query("update ops.stored_response set leased_until = now() - interval '1 second' where response is null");
    expect([await other.run(submitted('died'), fails), await one.run(submitted('died'), fails)]).toStrictEqual([
      'interrupted',
      'interrupted',
    ]);
  });

  it('is not repeated when somebody edits its result in the table', async () => {
    await one.run(submitted('edited'), perform);
    await pool.query(
      "update ops.stored_response set response = (select response from ops.stored_response where key_hash <> encode(sha256('edited'), 'hex') and response is not null limit 1) where key_hash = encode(sha256('edited'), 'hex')",
    );
    expect(await one.run(submitted('edited'), fails)).toBe('interrupted');
  });

  it('leads to a page whose content is found by its keeper alone, for its time, and until it is forgotten', async () => {
    const things = new KeptThings(pool, new EncryptedTexts(MasterKeys.parse(MASTER_KEY)));
    const id = await things.keep('secret', 'session-1', { api_key: 'rupa_key_1' });
    expect(await things.find('secret', 'session-1', id)).toStrictEqual({ api_key: 'rupa_key_1' });
    for (const [kind, of, sent] of [
      ['secret', 'session-2', id],
      ['page', 'session-1', id],
      ['secret', 'session-1', `${id}x`],
    ] as const)
      expect(await things.find(kind, of, sent)).toBeUndefined();
    const { rows } = await pool.query('select * from ops.stored_response');
    expect(JSON.stringify(rows)).not.toMatch(new RegExp(`rupa_key_1|session-1|${id}`));
    await things.forget('secret', id);
    expect(await things.find('secret', 'session-1', id)).toBeUndefined();
  });

  it('leads to secrets that are deleted after ten minutes, which reads no other row', async () => {
    const things = new KeptThings(pool, new EncryptedTexts(MasterKeys.parse(MASTER_KEY)));
    for (const kind of ['secret', 'page'] as const) await things.keep(kind, 'session-1', {});
    await pool.query("update ops.stored_response set begun_at = now() - interval '10 minutes' where starts_with(partner_id, 'console/')");
    await things.keep('secret', 'session-1', {});
    await pool.query(
      `insert into ops.stored_response (partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leased_until, begun_at)
       select 'p' || n % 5, 'k' || n, '', '', '', gen_random_uuid(), now(), now() - interval '1 hour' from generate_series(1, 20000) n`,
    );
    await pool.query('analyze ops.stored_response');
    const { rows: plan } = await pool.query<{ 'QUERY PLAN': string }>(
      `explain select ctid from ops.stored_response where begun_at < now() - make_interval(secs => 600) and begun_at >= '-infinity' and (${OLD_SECRETS.where})
       order by begun_at limit 5000 for update skip locked`,
    );
    expect(JSON.stringify(plan)).toMatch(/_pkey/);
    await deleteOldRows(pool, OLD_SECRETS);
    const { rows } = await pool.query<{ partner_id: string; count: string }>(
      "select partner_id, count(*) from ops.stored_response where partner_id in ('console/secrets', 'console/pages') group by 1 order by 1",
    );
    expect(rows).toStrictEqual([
      { partner_id: 'console/pages', count: '1' },
      { partner_id: 'console/secrets', count: '1' },
    ]);
  });
});
