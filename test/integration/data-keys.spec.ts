import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Pool, type QueryConfig } from 'pg';
import { CiphertextUnusable } from '../../src/platform/key-store/encryption.js';
import { DataKeyMissing, DataKeys } from '../../src/platform/key-store/data-keys.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';

const masterKeys = MasterKeys.parse(`k1:${Buffer.alloc(32, 1).toString('base64')}`);
const FARMERS = Array.from({ length: 40 }, (_, index) => `rp-${index}`);

describe('the data keys of farmers', () => {
  let database: TestDatabase;
  let pool: Pool;
  let statements: number;
  let whileReading: () => void;
  /** Keys of a process that has just started, so that none is in memory. */
  let keys: DataKeys;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 4);
    const creating = new DataKeys(pool, masterKeys);
    await Promise.all(FARMERS.map((farmer) => creating.create(farmer)));
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(() => {
    statements = 0;
    whileReading = () => undefined;
    const counting = Object.assign(Object.create(pool) as Pool, {
      query: async (statement: QueryConfig) => {
        statements += 1;
        const result = pool.query(statement);
        whileReading();
        return await result;
      },
    });
    keys = new DataKeys(counting, masterKeys);
  });

  it('are read in one statement by calls that arrive together', async () => {
    const loaded = await Promise.all(FARMERS.map((farmer) => keys.load([farmer, 'rp-0'])));
    expect(loaded.map((found) => [...found.keys()])).toStrictEqual(FARMERS.map((farmer) => [...new Set([farmer, 'rp-0'])]));
    expect(statements).toBe(1);
  });

  it('fail the calls for a missing or a damaged key alone', async () => {
    await pool.query("update key_store.data_key set wrapped = 'damaged' where rupa_id = 'rp-1'");
    const outcomes = await Promise.allSettled([['rp-0'], ['rp-1', 'rp-2'], ['rp-unknown'], ['rp-2']].map((farmers) => keys.load(farmers)));
    expect(outcomes.map(({ status }) => status)).toStrictEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect((outcomes[2] as PromiseRejectedResult).reason).toBeInstanceOf(DataKeyMissing);
    expect(statements).toBe(1);
  });

  it('are left out, with the reason, where that of a farmer is missing or damaged, unless no other one is usable', async () => {
    const left: [string, string][] = [];
    const onUnusable = (farmer: string, { name }: Error): void => void left.push([farmer, name]);
    const wanted = ['rp-2', 'rp-1', 'rp-unknown', 'rp-3'];
    expect([...(await keys.load(wanted, onUnusable)).keys()]).toStrictEqual(['rp-2', 'rp-3']);
    expect(left).toStrictEqual([
      ['rp-1', 'CiphertextUnusable'],
      ['rp-unknown', 'DataKeyMissing'],
    ]);
    const wrong = new DataKeys(pool, MasterKeys.parse(`k1:${Buffer.alloc(32, 2).toString('base64')}`));
    await expect(wrong.load(['rp-2'], onUnusable)).rejects.toThrow(CiphertextUnusable);
    await pool.query("update key_store.data_key set master_key_id = 'k2' where rupa_id = 'rp-4'");
    await expect(keys.load([...wanted, 'rp-4'], onUnusable)).rejects.toThrow('Master key "k2" is not in MASTER_KEY');
  });

  it('are read again if a key was destroyed while they were read', async () => {
    whileReading = () => {
      keys.forget('rp-6');
    };
    await keys.load(['rp-5']);
    whileReading = () => undefined;
    await keys.load(['rp-5']);
    await keys.load(['rp-5']);
    expect(statements).toBe(2);
  });
});
