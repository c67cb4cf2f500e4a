import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { RowMacs } from '../../src/platform/projecting/row-macs.js';
import { SessionStore } from '../../src/console/sessions/session-store.js';
import { MASTER_KEY, rowMacs } from '../support/row-macs.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';

const HOLDER = { role: 'auditor', name: 'bode', fingerprint: '0a1b2c3d' } as const;

describe('a session of the console', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let store: SessionStore;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = new pg.Pool({ connectionString: database.url, max: 2 });
    store = new SessionStore(pool, rowMacs);
  });

  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const rows = async (): Promise<readonly Record<string, unknown>[]> =>
    (await pool.query<Record<string, unknown>>('select * from ops.console_session')).rows;

  it('belongs to the person who began it, also at another API', async () => {
    const id = await store.begin(HOLDER);
    expect(await new SessionStore(pool, rowMacs).find(id)).toStrictEqual(HOLDER);
    expect(await store.find(`${id}x`)).toBeUndefined();
  });

  it('cannot be continued with what the table contains', async () => {
    const id = await store.begin(HOLDER);
    expect(JSON.stringify(await rows())).not.toContain(id);
    for (const { session_hash } of await rows()) expect(await store.find(String(session_hash))).toBeUndefined();
  });

  it.each([
    ['eight hours after it began', "expires_at = expires_at - interval '8 hours'"],
    ['after an hour without a request', "used_at = used_at - interval '60 minutes'"],
  ])('ends %s, and is deleted at the next sign-in', async (_when, change) => {
    const id = await store.begin(HOLDER);
    await pool.query(`update ops.console_session set ${change}`);
    expect(await store.find(id)).toBeUndefined();
    await store.begin(HOLDER);
    expect(await rows()).toHaveLength(1);
  });

  it('goes on with each request, but not beyond eight hours', async () => {
    const id = await store.begin(HOLDER);
    const ends = async (): Promise<unknown[]> => (await rows()).map(({ expires_at }) => expires_at);
    const before = await ends();
    await pool.query("update ops.console_session set used_at = used_at - interval '59 minutes'");
    expect(await store.find(id)).toStrictEqual(HOLDER);
    const [{ fresh } = { fresh: false }] = (
      await pool.query<{ fresh: boolean }>("select bool_or(used_at > now() - interval '1 minute') as fresh from ops.console_session")
    ).rows;
    expect(fresh).toBe(true);
    expect(await ends()).toStrictEqual(before);
  });

  it.each([
    ['of an administrator', "role = 'admin'"],
    ['of somebody else', "name = 'amina'"],
    ['of another token', "fingerprint = '00000000'"],
    ['longer', "expires_at = expires_at + interval '1 day'"],
    ['another one', "session_hash = encode(sha256('chosen'), 'hex')"],
    ['signed', "mac = replace(mac, 'k1', 'k2')"],
    ['unsigned', "mac = ''"],
  ])('is none any more if somebody makes it %s in the table, and is named', async (_what, edit) => {
    const named: [string, string][] = [];
    const macs = new RowMacs(MasterKeys.parse(MASTER_KEY));
    macs.onForged((table, key) => named.push([table, key]));
    await pool.query('delete from ops.console_session');
    const watched = new SessionStore(pool, macs);
    const id = await watched.begin(HOLDER);
    expect(await watched.find(id)).toStrictEqual(HOLDER);
    await pool.query(`update ops.console_session set ${edit}`);
    const chosen = edit.startsWith('session_hash') ? 'chosen' : id;
    expect(await watched.find(chosen)).toBeUndefined();
    expect(named).toStrictEqual([['console_session', expect.any(String)]]);
  });

  it('ends at the sign-out', async () => {
    const id = await store.begin(HOLDER);
    await store.end(id);
    expect(await store.find(id)).toBeUndefined();
  });
});
