import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { balancesOf, startLedger, type TrialBalance, withoutIndex } from '../support/ledger.js';
import { type ProcessResult, rupa } from '../support/rupa.js';
import { storesOf } from '../support/service-log.js';
import { workbook } from '../support/unit/workbook.js';
import { type TestService } from '../support/service.js';

let service: TestService;

beforeAll(async () => {
  ({ service } = await startLedger());
});
afterAll(() => service.stop());

const balances = async (at: string) => withoutIndex(await balancesOf(service, at));

describe('rupa ledger trial-balance', () => {
  const trialBalance = (...args: string[]) => rupa(service, ['ledger', 'trial-balance', ...args]);
  const parsed = async (...args: string[]) =>
    withoutIndex(JSON.parse((await trialBalance(...args, '--format', 'json')).out) as TrialBalance);

  it('prints amounts right-aligned, with thousands separators and two decimals', async () => {
    const { code, out } = await trialBalance();
    expect(code).toBe(0);
    expect(out).toMatch(/│ cash_received +│ asset +│ +0\.00 │ 101,000\.00 │ +0\.00 │ +101,000\.00 │/);
    expect(out).toMatch(/│ revenue.identity +│ income +│ +0\.00 │ +50\.25 │ +100\.25 │ +-50\.00 │/);
    expect(out).toMatch(/│ total +│ +│ +0\.00 │ 101,520\.50 │ 101,520\.50 │ +0\.00 │/);
  });

  it('prints CSV and JSON', async () => {
    const { out } = await trialBalance('--at', '2026-01-31', '--format', 'csv');
    expect(out).toBe(
      '\uFEFFaccount,kind,opening,debit,credit,closing\r\ncash_received,asset,0.00,1000.00,0.00,1000.00\r\npartner_balances,liability,0.00,80.00,1000.00,-920.00\r\nrevenue.farms,income,0.00,0.00,80.00,-80.00\r\n',
    );
    expect(await parsed('--at', '2026-02-01')).toStrictEqual(await balances('?at=2026-02-01'));
    const february = ['--from', '2026-02-01', '--to', '2026-02-28'];
    expect(await parsed(...february)).toStrictEqual(await balances('?from=2026-02-01&to=2026-02-28'));
    expect((await trialBalance(...february)).out).toMatch(/^Books of live, in NGN, from 2026-02-01 up to 2026-02-28T23:59:59.999Z/);
    for (const wrong of [
      ['--at', 'yesterday'],
      ['--at', '2026-01-31', ...february],
      ['--from', '2026-02-02', '--to', '2026-02-01'],
    ])
      expect((await trialBalance(...wrong)).code).toBe(2);
  });

  it('prints the books of one mode', async () => {
    const { out } = await trialBalance('--mode', 'sandbox');
    expect(out).toMatch(/^Books of sandbox, play money, in NGN, up to 20\S+Z, as of event \d+ of the log\n/);
    expect(out).toMatch(/│ cash_received +│ asset +│ +0\.00 │ 700\.00 │ +0\.00 │ +700\.00 │/);
    expect((await trialBalance()).out).toMatch(/^Books of live, in NGN, up to 20\S+Z, as of event \d+ of the log\n/);
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

describe('rupa ledger reconcile', () => {
  const MAP = 'reference=Narration,credit=Credit,debit=Debit,date=Value Date';
  const today = new Date().toISOString().slice(0, 10);
  // Midnight may pass between this line and the credits.
  const tomorrow = new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10);
  const [year, month, day] = today.split('-');
  let banks: readonly TestPartner[];
  let file: string;

  const reconcile = (...args: string[]): Promise<ProcessResult> =>
    rupa(service, ['ledger', 'reconcile', file, '--map', MAP, '--from', today, '--to', tomorrow, ...args]);
  const write = (...rows: string[]): void => {
    writeFileSync(file, `\ufeff${['Value Date;Narration;Debit;Credit', ...rows].join('\r\n')}\r\n;;;\r\n`);
  };
  const credit = async (partner: TestPartner | undefined, body: object): Promise<void> => {
    expect((await admin(service, 'POST', `/partners/${partner?.partner_id ?? ''}/wallet/credits`, body)).status).toBe(200);
  };

  beforeAll(async () => {
    file = join(service.dataDir, 'payments.csv');
    banks = [
      await makePartner(service, { credit: 0, company_name: 'First' }),
      await makePartner(service, { credit: 0, company_name: 'Second' }),
    ];
    const [first, second] = banks;
    for (const reference of ['agrees', 'less', 'unpaid', 'twice', 'late']) await credit(first, { reference, amount: 1234.56 });
    await credit(first, { reference: 'reversed', amount: 100 });
    await credit(first, { reference: 'a gift', amount: 50, kind: 'goodwill', reason: 'an outage' });
    await credit(second, { reference: 'twice', amount: 1234.56 });
    const reversal = { credit_reference: 'reversed', amount: 40, reason: 'an error', reference: 'reversal' };
    await admin(service, 'POST', `/partners/${first?.partner_id ?? ''}/wallet/reversals`, reversal);
    await credit(await makePartner(service, { mode: 'sandbox', credit: 0 }), { reference: 'play money', amount: 7 });
  });

  it('counts the rows of each list, shows those that need attention, and exits with 1', async () => {
    const date = `${day ?? ''}/${month ?? ''}/${year ?? ''}`;
    write(
      `${date};NIP/AGREES/77;;1.234,56`,
      `${date};less;;"1.234,55"`,
      `${date};unknown;;₦5`,
      `${date};twice;;1234,56`,
      `${date};reversed;;60`,
      `${date};agrees;;1.234,56`,
      `01/02/2026;late;;1.234,56`,
      `${date};fee;52,50;`,
      `${date};opening;;100 000,00`,
      `Total;;52,50;9`,
    );
    const { code, out } = await reconcile();
    expect(code).toBe(1);
    expect(out).toMatch(/│ matched +│ +3 │ +101,294\.56 │/);
    expect(out).toMatch(/│ the whole file +│ +10 │ +106,185\.29 │/);
    expect(out).toMatch(/│ not credited +│ +4 │ \S+ +│ +5\.00 │ unknown +│ no_reference/);
    expect(out).toMatch(/│ not in the file +│ +│ +│ +│ +│ +│ unpaid +│ \S+ +│ +1,234\.56 │ First \(/);
    type Listed = Record<
      string,
      { why?: string; fields?: string[]; row?: { line: number }; rows?: { line: number }[]; reference?: string }[]
    >;
    const found = JSON.parse((await reconcile('--json')).out) as Listed & { ok: boolean; mode: string };
    expect(found).toMatchObject({ ok: false, mode: 'live' });
    expect(found.not_credited?.map(({ row, why }) => [row?.line, why])).toStrictEqual([
      [4, 'no_reference'],
      [7, 'paid_twice'],
    ]);
    expect(found.different?.map(({ rows, fields }) => [rows?.[0]?.line, fields])).toStrictEqual([
      [3, ['amount']],
      [8, ['date']],
    ]);
    expect([found.ambiguous?.map(({ row }) => row?.line), found.not_in_file?.map(({ reference }) => reference)]).toStrictEqual([
      [5],
      ['unpaid'],
    ]);
    expect(found.skipped?.map(({ why }) => why)).toStrictEqual(['money_out', 'total']);
    expect((await reconcile('--format', 'csv')).out).toMatch(
      /^\ufefflist,line,date,amount,.*\r\nnot_credited,4,.*,5\.00,unknown,no_reference,,,,,,\r\n/,
    );
    expect((await reconcile('--tolerance', '0.01', '--json')).out).toContain('"because":"tolerance"');
  });

  it('exits with 0 when all agree, in the books of one mode, also for a workbook and one column of amounts', async () => {
    write(`${today};play money;;7`, `${today};opening;;NGN 700.00`);
    expect(await reconcile('--mode', 'sandbox')).toMatchObject({ code: 0, out: expect.stringContaining('The file and the books agree.') });
    const rows = [
      ['Posted', 'Text', 'Sum'],
      [{ date: today }, 'play money', 7],
      [{ date: today }, 'opening', 700],
    ];
    writeFileSync(file, workbook({ March: rows }));
    const sandbox = ['--mode', 'sandbox', '--from', today, '--to', tomorrow];
    const found = await rupa(service, ['ledger', 'reconcile', file, '--map', 'date=Posted,reference=Text,amount=Sum', ...sandbox]);
    expect(found).toMatchObject({ code: 0, out: expect.stringContaining('sheet "March"') });
  });

  it('exits with 2 for wrong usage and for a file that it cannot read, and names the columns', async () => {
    write(`${today};agrees;;five`);
    expect(await reconcile()).toMatchObject({ code: 2, err: expect.stringContaining('No row has a date in the column "Value Date"') });
    const other = await rupa(service, ['ledger', 'reconcile', file, '--map', 'date=Day,reference=Narration,amount=Credit']);
    expect(other).toMatchObject({ code: 2, err: expect.stringContaining('Its columns are "Value Date", "Narration", "Debit", "Credit".') });
    expect((await rupa(service, ['ledger', 'reconcile', '/nowhere.csv', '--map', MAP])).code).toBe(2);
    expect((await rupa(service, ['ledger', 'reconcile', file])).code).toBe(2);
    expect((await rupa(service, ['ledger', 'reconcile', file, '--map', 'reference=Narration'])).code).toBe(2);
    expect((await rupa(service, ['ledger', 'reconcile', file, '--map', `${MAP},amount=Credit`])).code).toBe(2);
    expect((await reconcile('--days', 'few')).code).toBe(2);
    expect((await reconcile('--tolerance', '-1')).code).toBe(2);
  });
});

describe('rupa ledger post', () => {
  const post = (...args: string[]): Promise<ProcessResult> => rupa(service, ['ledger', 'post', ...args, '--reason', 'of the bank']);

  it('posts an entry once, and prints it as a sentence or as JSON', async () => {
    const charge = ['bank_charge', '52.50', '--reference', 'charge-1', '--date', '2026-03-31'];
    expect(await post(...charge)).toMatchObject({ code: 0, out: 'posted bank_charge, NGN 52.50, dated 2026-03-31, as charge-1\n' });
    expect(await post(...charge)).toMatchObject({ code: 0, out: expect.stringMatching(/^already posted bank_charge, NGN 52\.50/) });
    const { code, out } = await post('reversal', '--of', 'charge-1', '--reference', 'undo-1', '--json');
    const actor: unknown = expect.stringMatching(/^cli:./);
    expect([code, JSON.parse(out)]).toMatchObject([0, { kind: 'reversal', amount: 52.5, of: 'charge-1', actor, created: true }]);
  });

  it('exits with 1 and says what the account holds for too large a settlement, and with 2 for wrong usage', async () => {
    const settle = ['passthrough_settlement', '10000', '--reference', 's-1', '--mode', 'sandbox'];
    expect(await post(...settle, '--account', 'bvn')).toMatchObject({
      code: 1,
      err: 'The account holds less than the amount. It holds NGN 0.00.\n',
    });
    expect(await post(...settle)).toMatchObject({ code: 2, err: 'The account field is required.\n' });
    expect((await post('bank_charge', 'much', '--reference', 'c-2')).code).toBe(2);
  });
});

describe('rupa ledger close and rupa ledger periods', () => {
  const ledger = (...args: string[]): Promise<ProcessResult> => rupa(service, ['ledger', ...args]);

  it('close a month once and print its totals, as a table or as JSON', async () => {
    const closed = await ledger('close', '2026-01');
    expect(closed).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^closed 2026-01 of the live books, in NGN: 2 entries, as of event \d+ of the log; by cli:\S+ at 2\S+Z\n/),
    });
    expect(closed.out).toMatch(/│ revenue\.farms +│ income +│ +0\.00 │ +0\.00 │ +80\.00 │ +-80\.00 │/);
    expect((await ledger('close', '2026-01')).out).toMatch(/^already closed 2026-01 of the live books/);
    const { out } = await ledger('close', '2026-01', '--json');
    expect(JSON.parse(out)).toMatchObject({ period: '2026-01', mode: 'live', entries: 2, created: false });
  });

  it('list the months like HTTP', async () => {
    const { out } = await ledger('periods', '--json');
    expect(JSON.parse(out)).toStrictEqual((await admin(service, 'GET', '/ledger/periods')).body.data);
    expect((await ledger('periods')).out).toMatch(
      /^Months \(UTC\) of the live books\n[^]*│ 2026-01 │ live │ closed │[^]*│ 2026-02 │ live │ open +│/,
    );
    expect((await ledger('periods', '--format', 'csv')).out).toMatch(
      /^\ufeffperiod,mode,status,closed_at,closed_by,entries,index\r\n2026-01,live,closed,/,
    );
  });

  it('exit with 1 and say why a month is not closed, or an entry not posted, and with 2 for wrong usage', async () => {
    expect(await ledger('close', '2026-03')).toMatchObject({
      code: 1,
      err: 'Months are closed in their order. Close the earlier ones first. (next period: 2026-02)\n',
    });
    const late = ['post', 'bank_charge', '1', '--reference', 'late', '--date', '2026-01-05', '--reason', 'of the bank'];
    expect(await ledger(...late)).toMatchObject({
      code: 1,
      err: 'The date is in a month that is closed. Date the entry into an open month. The first open day is 2026-02-01.\n',
    });
    expect((await ledger('close', '2026-13')).code).toBe(2);
    expect((await ledger('close')).code).toBe(2);
  });
});
