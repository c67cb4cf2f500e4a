import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Pool } from 'pg';
import { testPool } from '../support/database.js';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, makePartner } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

describe('books of which a verification has found rows that differ from the log', () => {
  let service: TestService;
  let pool: Pool;
  let next = 0;

  beforeAll(async () => {
    service = await startApplication({}, { repeats: false });
    pool = testPool(service.stores.DATABASE_URL ?? '', 2);
    // The books begin in January, and the provider of bvn is owed NGN 60.
    expect((await post({ kind: 'opening_balance', account: 'cash_received', amount: 100, date: '2026-01-10' })).status).toBe(201);
    await admin(service, 'PUT', '/farmers/rp-1', { identity: { first_name: 'A' } });
    const bank = await makePartner(service);
    expect((await bank.lookup('rp-1', { sections: ['bvn_nin_data'] })).status).toBe(200);
  });
  afterAll(async () => {
    await pool.end();
    await service.stop();
  });

  const post = async (body: object): Promise<ApiResponse> => {
    next += 1;
    return await admin(service, 'POST', '/ledger/entries', { reference: `e-${next}`, reason: 'by the bank', ...body });
  };
  const settle = (): Promise<ApiResponse> => post({ kind: 'passthrough_settlement', account: 'bvn', amount: 1 });
  const close = (): Promise<ApiResponse> => admin(service, 'POST', '/ledger/periods/2026-01/close', {});
  const rebuild = async (table: string): Promise<void> => {
    const { status, body } = await admin(service, 'POST', `/projections/${table}/rebuild`);
    expect(status).toBe(202);
    const { job_id } = body.data as { job_id: number };
    await until(async () => (await admin(service, 'GET', `/projections/jobs/${job_id}`)).body.data.state === 'done');
  };

  it.each(['ledger_day', 'partner', 'ledger_entry', 'open_charge'])(
    'are used neither for a settlement, a close nor a report until a rebuild mends %s',
    async (table) => {
      const refused = {
        status: 503,
        body: { code: 'unavailable', message: expect.stringContaining(`rupa projections rebuild ${table}`), data: { read_model: table } },
      };
      await pool.query("insert into ops.forged_row (table_name, row_key, difference) values ($1, $2, 'missing')", [
        table,
        table === 'ledger_day' ? '["a","b","c","d"]' : table === 'ledger_entry' ? '["live","99"]' : '["a"]',
      ]);
      expect(await close()).toMatchObject(refused);
      const settled = await settle();
      if (['ledger_day', 'partner'].includes(table)) expect(settled).toMatchObject(refused);
      const books = await admin(service, 'GET', '/ledger/trial-balance');
      if (table === 'open_charge') expect(books.status).toBe(200);
      else expect(books).toMatchObject(refused);
      // No wallet's money decides about an entry without a bound.
      expect((await post({ kind: 'bank_charge', amount: 1 })).status).toBe(201);
      await rebuild(table);
      expect((await settle()).status).toBe(201);
    },
  );

  it('are used after that', async () => {
    expect((await close()).status).toBe(201);
  });
});
