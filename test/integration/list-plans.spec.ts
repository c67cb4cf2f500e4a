import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { farmersForLookups } from '../../projections/farmer-profile/farmer-profile.reader.js';
import { createMigratedDatabase, type TestDatabase, testPool } from '../support/database.js';
import { listCalls } from '../support/list-calls.js';
import { addFarmers, createTables, DATA_SETS, fill, STATISTICS, useStatistics } from '../support/list-world.js';
import { workOf } from '../support/work-of.js';
import { anyRow } from '../support/row-macs.js';

/** Rows of the largest tables. With fewer than a million, the bounds of searches are lower, too. */
const ROWS = Number(process.env.LIST_ROWS ?? 20_000);
/** Whether what each call read is written to standard error. */
const REPORTS = process.env.LIST_REPORT !== undefined;
/** Pages of 8 KiB for each row: a row of a table, and the levels of an index that lead to it. */
const BUFFERS_PER_ROW = 8;
const TIMEOUT_MS = 30 * 60_000;

describe.each(Object.keys(DATA_SETS))('the lists, if %s', (dataSet) => {
  let database: TestDatabase;
  let pool: Pool;
  let billed: Pool;

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = testPool(database.url, 1, { statements: 'maintenance', pages: true });
    billed = testPool(database.url, 1, { statements: 'maintenance' });
    await createTables(pool);
    await fill(pool, ROWS, dataSet);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await Promise.all([pool.end(), billed.end()]);
    await database.drop();
  });

  it.each(STATISTICS)(
    'read no more than their pages need, %s',
    async (statistics) => {
      await useStatistics(pool, statistics);
      const excessive: string[] = [];
      for (const { name, most, isBilled = false, call } of listCalls(ROWS)) {
        const { rows, buffers, ms } = await workOf(isBilled ? billed : pool, call);
        if (rows > most || buffers > BUFFERS_PER_ROW * most) excessive.push(`${name}: ${Math.round(rows)} rows, ${buffers} buffers`);
        if (REPORTS) process.stderr.write(['LIST', name, dataSet, statistics, Math.round(rows), buffers, `${ms.toFixed(1)}\n`].join('\t'));
      }
      expect(excessive).toStrictEqual([]);
    },
    TIMEOUT_MS,
  );
});

describe('a lookup', () => {
  it('reads a row of each table by its key, whatever was reported about the farmer', async () => {
    const database = await createMigratedDatabase();
    const pool = testPool(database.url, 1);
    try {
      await createTables(pool);
      await pool.query(
        `insert into read.contribution (contribution_id, partner_id, account_type, rupa_id, subject, event, currency, occurred_at, recorded_at, updated_at)
         select n, 'p', 'bank', 'rp-hot', 'rp-hot', 'loan_disbursed', 'NGN', now(), now(), now() from generate_series(1, 20000) n`,
      );
      await addFarmers(pool);
      await pool.query('analyze');
      for (const rupa_id of ['rp-hot', 'rp-7']) {
        const { rows } = await workOf(pool, (each) =>
          farmersForLookups(each, anyRow, [{ n: 0, partner_id: 'p', rupa_id, test_subject: '' }]),
        );
        expect(rows).toBeLessThan(10);
      }
    } finally {
      await pool.end();
      await database.drop();
    }
  });
});
