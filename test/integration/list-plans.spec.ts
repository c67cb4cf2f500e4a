import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { createPool } from '../../src/platform/database/pool.js';
import { createMigratedDatabase, type TestDatabase } from '../support/database.js';
import { listCalls } from '../support/list-calls.js';
import { createTables, DATA_SETS, fill, STATISTICS, useStatistics } from '../support/list-world.js';
import { workOf } from '../support/work-of.js';

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

  beforeAll(async () => {
    database = await createMigratedDatabase();
    pool = createPool(database.url, 1, () => undefined, { statements: 'maintenance', pages: true });
    await createTables(pool);
    await fill(pool, ROWS, dataSet);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it.each(STATISTICS)(
    'read no more than their pages need, %s',
    async (statistics) => {
      await useStatistics(pool, statistics);
      const excessive: string[] = [];
      for (const { name, most, call } of listCalls(ROWS)) {
        const { rows, buffers, ms } = await workOf(pool, call);
        if (rows > most || buffers > BUFFERS_PER_ROW * most) excessive.push(`${name}: ${Math.round(rows)} rows, ${buffers} buffers`);
        if (REPORTS) process.stderr.write(['LIST', name, dataSet, statistics, Math.round(rows), buffers, `${ms.toFixed(1)}\n`].join('\t'));
      }
      expect(excessive).toStrictEqual([]);
    },
    TIMEOUT_MS,
  );
});
