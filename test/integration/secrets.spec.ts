import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { Secrets } from '../../src/platform/key-store/secrets.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';

describe('secrets in the key store', () => {
  let database: TestDatabase;
  let pool: Pool;
  let secrets: Secrets;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 4);
    secrets = new Secrets(pool, MasterKeys.parse(`k1:${Buffer.alloc(32, 7).toString('base64')}`));
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('are stored encrypted and returned decrypted', async () => {
    await secrets.add('webhook/1/a', Buffer.from('whsec_very-secret'));
    expect((await secrets.get('webhook/1/a'))?.toString()).toBe('whsec_very-secret');
    const { rows } = await pool.query<{ wrapped: string }>('select * from key_store.secret');
    expect(JSON.stringify(rows)).not.toContain('very-secret');
    expect(Buffer.from(rows[0]?.wrapped ?? '', 'base64').toString('latin1')).not.toContain('very-secret');
  });

  it('are never replaced, and can be decrypted only under their own name', async () => {
    await secrets.add('webhook/1/a', Buffer.from('another'));
    expect((await secrets.get('webhook/1/a'))?.toString()).toBe('whsec_very-secret');
    await pool.query(
      "insert into key_store.secret select 'webhook/2/b', master_key_id, wrapped from key_store.secret where name = 'webhook/1/a'",
    );
    await expect(secrets.get('webhook/2/b')).rejects.toThrow();
  });

  it('are removed by the prefix of their name', async () => {
    await secrets.add('webhook/11/a', Buffer.from('x'));
    await secrets.removeByPrefix('webhook/1/');
    expect(await secrets.get('webhook/1/a')).toBeUndefined();
    expect((await secrets.get('webhook/11/a'))?.toString()).toBe('x');
  });
});
