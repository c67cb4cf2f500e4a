import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Pool } from 'pg';
import { masterKeysInUse, refuseWrongMasterKeys } from '../../src/platform/key-store/check-master-keys.js';
import { DataKeys } from '../../src/platform/key-store/data-keys.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { Secrets } from '../../src/platform/key-store/secrets.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';

const IDS = ['k1', 'k2', 'k3'] as const;
const key = (id: string, byte: number): string => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
const refusal = async (pool: Pool, setting: string): Promise<string> =>
  await refuseWrongMasterKeys(pool, MasterKeys.parse(setting), 'MASTER_KEY').then(
    () => '',
    (error: unknown) => (error as Error).message,
  );

describe('the check of the master keys at start', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeEach(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 4);
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  it('names exactly the keys in use that the setting lacks or that differ, whatever else the setting holds', async () => {
    const use = fc.subarray(['data key', 'secret'] as const);
    const given = fc.constantFrom('right', 'other', 'absent');
    await fc.assert(
      fc.asyncProperty(fc.tuple(use, use, use), fc.tuple(given, given, given), async (used, held) => {
        await pool.query('truncate key_store.data_key, key_store.secret');
        for (const [index, id] of IDS.entries()) {
          const right = MasterKeys.parse(key(id, index));
          if (used[index]?.includes('data key')) await new DataKeys(pool, right).create(`rp-${id}`);
          if (used[index]?.includes('secret')) await new Secrets(pool, right).add(`webhook/${id}`, Buffer.from('x'));
        }
        const setting = [
          key('unused', 99),
          ...IDS.flatMap((id, index) => (held[index] === 'absent' ? [] : [key(id, held[index] === 'right' ? index : 50 + index)])),
        ].join(',');
        const said = await refusal(pool, setting);
        for (const [index, id] of IDS.entries()) {
          const isWrong = used[index]?.length !== 0 && held[index] !== 'right';
          expect(said.includes(`master key "${id}"`)).toBe(isWrong);
        }
        expect(said).toMatch(/^$|^MASTER_KEY (lacks|holds another)/);
      }),
      { numRuns: 25 },
    );
  });

  it('refuses no key because a row of many is damaged, and names that row to the doctor', async () => {
    const keys = MasterKeys.parse(key('k1', 1));
    const ids = ['rp-1', 'rp-2', 'rp-3'];
    for (const id of ids) await new DataKeys(pool, keys).create(id);
    await pool.query("update key_store.data_key set wrapped = 'AAAA' where rupa_id = 'rp-1'");
    expect(await refusal(pool, key('k1', 1))).toBe('');
    expect(await masterKeysInUse(pool, keys)).toStrictEqual([{ id: 'k1', count: 3, state: 'usable', unreadable: ['data_key rp-1'] }]);
  });

  it('ignores farmers who were erased under a key that is gone', async () => {
    await new DataKeys(pool, MasterKeys.parse(key('k1', 1))).create('rp-1');
    await new DataKeys(pool, MasterKeys.parse(key('k1', 1))).destroy(['rp-1']);
    expect(await refusal(pool, key('k2', 2))).toBe('');
  });
});
