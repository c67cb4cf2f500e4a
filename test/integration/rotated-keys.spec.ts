import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { pino } from 'pino';

import { Registry } from 'prom-client';
import { RotatedKeys } from '../../src/contexts/partners/keys/rotated-keys.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { Secrets } from '../../src/platform/key-store/secrets.js';
import { DeletedRowsMetrics } from '../../src/platform/metrics/definitions/deleted-rows.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';

describe('the new keys of rotations', () => {
  let database: TestDatabase;
  let pool: Pool;
  let secrets: Secrets;
  let keys: RotatedKeys;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 2);
    secrets = new Secrets(pool, MasterKeys.parse(`k1:${Buffer.alloc(32, 7).toString('base64')}`));
    keys = new RotatedKeys(secrets, pool, pino({ enabled: false }), new DeletedRowsMetrics(new Registry()));
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('are encrypted, and the first one of an id stays', async () => {
    expect([await keys.keep('k1', 'rupa_key_first'), await keys.keep('k1', 'rupa_key_second')]).toStrictEqual([
      'rupa_key_first',
      'rupa_key_first',
    ]);
    expect([await keys.find('k1'), await keys.find('k2')]).toStrictEqual(['rupa_key_first', undefined]);
    const { rows } = await pool.query<{ wrapped: string }>('select wrapped from key_store.secret');
    for (const { wrapped } of rows) expect(Buffer.from(wrapped.slice(3), 'base64').toString('latin1')).not.toContain('rupa_key_');
  });

  it('are deleted after a day, and no other secret is', async () => {
    await keys.keep('old', 'rupa_key_old');
    await secrets.add('webhook/1/old', Buffer.from('whsec_'));
    await pool.query("update key_store.secret set created_at = now() - interval '25 hours' where name like '%old'");
    await keys.keep('new', 'rupa_key_new');
    await keys.deleteOld();
    expect([await keys.find('old'), await keys.find('new')]).toStrictEqual([undefined, 'rupa_key_new']);
    expect(await secrets.get('webhook/1/old')).toBeDefined();
  });
});
