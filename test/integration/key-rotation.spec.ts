import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { DataKeys } from '../../src/platform/key-store/data-keys.js';
import { countKeys } from '../../src/platform/key-store/key-counts.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { rotateKeys } from '../../src/platform/key-store/rotate-keys.js';
import { Secrets } from '../../src/platform/key-store/secrets.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';
import { until } from '../support/until.js';

const key = (id: string, byte: number): string => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const [K1, K2] = [key('k1', 1), key('k2', 2)];
const ids = Array.from({ length: 25 }, (_, number) => `rp-${number}`);

describe('a rotation of master keys', () => {
  let database: TestDatabase;
  let pool: Pool;
  /** A ciphertext by each farmer's data key from before the rotation. */
  let encrypted: Map<string, string>;

  beforeEach(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 4);
    const keys = new DataKeys(pool, MasterKeys.parse(K1));
    await Promise.all(ids.map((id) => keys.create(id)));
    const dataKeys = await keys.load(ids);
    encrypted = new Map(ids.map((id) => [id, dataKeys.get(id)?.encrypt(`about ${id}`, 'b') ?? '']));
    await new Secrets(pool, MasterKeys.parse(K1)).add('webhook/1/a', Buffer.from('whsec_x'));
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const destroy = 'update key_store.data_key set wrapped = null, destroyed_at = now() where rupa_id = $1';
  const decrypted = async (setting: string): Promise<(string | undefined)[]> => {
    const dataKeys = await new DataKeys(pool, MasterKeys.parse(setting)).load(ids);
    return ids.map((id) => dataKeys.get(id)?.decrypt(encrypted.get(id) ?? '', 'b'));
  };
  const texts = ids.map((id) => `about ${id}`);

  it('keeps every key and secret readable, and leaves none under the old master key', async () => {
    const masterKeys = MasterKeys.parse(`${K2},${K1}`);
    let progress = 0;
    const rotated = await rotateKeys({ pool, masterKeys, batchSize: 10, onProgress: (rows) => (progress += rows) });
    expect(rotated).toMatchObject({
      data_keys: 25,
      secrets: 1,
      left: [
        { id: 'k2', current: true, data_keys: 25, secrets: 1 },
        { id: 'k1', data_keys: 0, secrets: 0 },
      ],
    });
    expect(progress).toBe(26);
    expect(await decrypted(K2)).toStrictEqual(texts);
    expect((await new Secrets(pool, MasterKeys.parse(K2)).get('webhook/1/a'))?.toString()).toBe('whsec_x');
    expect(await rotateKeys({ pool, masterKeys })).toMatchObject({ data_keys: 0, secrets: 0 });
  });

  it('resumes where it was interrupted', async () => {
    const masterKeys = MasterKeys.parse(`${K2},${K1}`);
    const stopping = new AbortController();
    const interrupted = rotateKeys({
      pool,
      masterKeys,
      batchSize: 10,
      signal: stopping.signal,
      onProgress: () => {
        stopping.abort(new Error('stopped'));
      },
    });
    await expect(interrupted).rejects.toThrow('stopped');
    expect(await decrypted(`${K1},${K2}`)).toStrictEqual(texts);
    expect(await rotateKeys({ pool, masterKeys })).toMatchObject({ data_keys: 15, secrets: 1 });
  });

  it('does not restore a data key that is destroyed concurrently', async () => {
    const eraser = await pool.connect();
    await eraser.query('begin');
    await eraser.query(destroy, ['rp-7']);
    const rotating = rotateKeys({ pool, masterKeys: MasterKeys.parse(`${K2},${K1}`) });
    await until(
      async () =>
        (
          await pool.query(
            "select from pg_stat_activity where wait_event_type = 'Lock' and query like 'update key_store%' and datname = current_database()",
          )
        ).rowCount === 1,
    );
    await eraser.query('commit');
    eraser.release();
    expect(await rotating).toMatchObject({
      data_keys: 24,
      left: [
        { id: 'k2', data_keys: 24 },
        { id: 'k1', data_keys: 0 },
      ],
    });
    expect((await pool.query("select wrapped from key_store.data_key where rupa_id = 'rp-7'")).rows).toStrictEqual([{ wrapped: null }]);
    expect(await decrypted(K2)).toStrictEqual(ids.map((id) => (id === 'rp-7' ? undefined : `about ${id}`)));
  });

  it('covers in another pass what a service with the older setting has added in the meantime', async () => {
    const late = new DataKeys(pool, MasterKeys.parse(K1));
    const rotated = await rotateKeys({
      pool: {
        query: async (...query: Parameters<Pool['query']>) => {
          const result: unknown = await (pool.query as (...given: unknown[]) => Promise<unknown>)(...query);
          if (query[0].startsWith('update key_store.secret')) await late.create('rp-late');
          return result;
        },
      } as unknown as Pool,
      masterKeys: MasterKeys.parse(`${K2},${K1}`),
    });
    expect(rotated).toMatchObject({
      data_keys: 26,
      left: [
        { id: 'k2', data_keys: 26 },
        { id: 'k1', data_keys: 0 },
      ],
    });
  });

  it('changes nothing when a master key is missing, or differs under the same id', async () => {
    await new DataKeys(pool, MasterKeys.parse(key('k0', 9))).create('rp-elsewhere');
    const without = rotateKeys({ pool, masterKeys: MasterKeys.parse(`${K2},${K1}`) });
    await expect(without).rejects.toThrow(
      '1 data keys and 0 secrets are wrapped by master key "k0", which is not in MASTER_KEY. Add it after the current one. Nothing was changed.',
    );
    const other = rotateKeys({ pool, masterKeys: MasterKeys.parse(`${K2},${key('k1', 3)},${key('k0', 9)}`), batchSize: 10 });
    await expect(other).rejects.toThrow('The master key "k1" in MASTER_KEY cannot unwrap rp-');
    expect(await countKeys(pool, MasterKeys.parse(K1))).toMatchObject([
      { id: 'k1', data_keys: 25, secrets: 1 },
      { id: 'k0', in_setting: false, data_keys: 1 },
    ]);
  });
});
