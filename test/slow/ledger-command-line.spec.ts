import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { admin } from '../support/client.js';
import { balancesOf, startLedger } from '../support/ledger.js';
import { rupa } from '../support/rupa.js';
import { storesOf } from '../support/service-log.js';
import { type TestService } from '../support/service.js';

let service: TestService;

beforeAll(async () => {
  ({ service } = await startLedger());
});
afterAll(() => service.stop());

const balances = (at = '') => balancesOf(service, at);

describe('rupa ledger trial-balance', () => {
  const trialBalance = (...args: string[]) => rupa(service, ['ledger', 'trial-balance', ...args]);

  it('prints amounts right-aligned, with thousands separators and two decimals', async () => {
    const { code, out } = await trialBalance();
    expect(code).toBe(0);
    expect(out).toMatch(/│ cash_received +│ 101,000\.00 │ +0\.00 │ +101,000\.00 │/);
    expect(out).toMatch(/│ revenue.identity +│ +50\.25 │ +100\.25 │ +-50\.00 │/);
    expect(out).toMatch(/│ total +│ 101,520\.50 │ 101,520\.50 │ +0\.00 │/);
  });

  it('prints CSV and JSON', async () => {
    const { out } = await trialBalance('--at', '2026-01-31', '--format', 'csv');
    expect(out).toBe(
      'account,debit,credit,balance\r\ncash_received,1000.00,0.00,1000.00\r\npartner_balances,80.00,1000.00,-920.00\r\nrevenue.farms,0.00,80.00,-80.00\r\n',
    );
    expect(JSON.parse((await trialBalance('--at', '2026-02-01', '--format', 'json')).out)).toStrictEqual(await balances('?at=2026-02-01'));
    expect((await trialBalance('--at', 'yesterday')).code).toBe(2);
  });

  it('prints the books of one mode', async () => {
    const { out } = await trialBalance('--mode', 'sandbox');
    expect(out).toMatch(/^Books of sandbox, play money, in NGN, up to 20\S+Z\n/);
    expect(out).toMatch(/│ cash_received +│ 700\.00 │ +0\.00 │ +700\.00 │/);
    expect((await trialBalance()).out).toMatch(/^Books of live, in NGN, up to 20\S+Z\n/);
    expect((await trialBalance('--mode', 'all')).code).toBe(2);
  });

  it('exits with 1 and prints the difference when the ledger does not balance', async () => {
    const { databaseUrl } = await storesOf(service);
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const add = (kobo: number) =>
      client.query(`update read.ledger_day set debit_kobo = debit_kobo + $1 where account = 'revenue.bvn_nin_data'`, [kobo]);
    try {
      await add(1);
      expect(await trialBalance('--format', 'csv')).toMatchObject({
        code: 1,
        err: 'the live ledger does not balance: debits less credits are NGN 0.01\n',
      });
      expect((await admin(service, 'GET', '/ledger/trial-balance')).body.data).toMatchObject({
        balanced: false,
        difference: 0.01,
        total_debit: 101_520.51,
      });
    } finally {
      await add(-1);
      await client.end();
    }
  });
});
