import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, entriesOf, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { expectDocumented } from '../support/contract.js';
import { type TestService } from '../support/service.js';
import { workbook } from '../support/unit/workbook.js';
import { until } from '../support/until.js';

const PATH = '/admin/v1/ledger/reconciliations';
const COLUMNS = { date: 'Day', reference: 'Narration', credit: 'In', debit: 'Out' };
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const MEBIBYTE = 1024 * 1024;

interface Sent {
  readonly status: number;
  readonly body: { readonly message?: string; readonly data: Record<string, unknown> };
}

describe('a reconciliation with a bank over HTTP', () => {
  let service: TestService;
  let bank: TestPartner;
  /** The days on which the credits and the payout are recorded, by reference. A day may end between two of them. */
  let days: ReadonlyMap<string | null, string>;
  let today: string;

  beforeAll(async () => {
    service = await startApplication();
    bank = await makePartner(service, { credit: 0, company_name: 'Sahel Savings Bank' });
    const wallet = `/partners/${bank.partner_id}/wallet`;
    for (const [reference, amount, more] of [
      ['INV-1', 500.25, {}],
      ['INV-2', 70, { bank_fee: 2, withheld_tax: 3 }],
      ['INV-3', 90, {}],
    ] as const)
      await admin(service, 'POST', `${wallet}/credits`, { amount, reference, ...more });
    const reversal = { credit_reference: 'INV-3', amount: 40, reason: 'typed twice', reference: 'R-3' };
    expect((await admin(service, 'POST', `${wallet}/reversals`, reversal)).status).toBe(200);
    expect((await admin(service, 'POST', `${wallet}/payouts`, { amount: 20, reference: 'PO-1', reason: 'end of contract' })).status).toBe(
      201,
    );
    const entries = await entriesOf(service, bank);
    days = new Map(entries.map(({ reference, recorded_at }) => [reference, recorded_at.slice(0, 'yyyy-mm-dd'.length)]));
    today = days.get('INV-1') ?? '';
  });
  afterAll(() => service.stop());

  async function send(body: BodyInit, parameters: object = COLUMNS, headers: Record<string, string> = {}): Promise<Sent> {
    const query = new URLSearchParams(Object.entries(parameters) as [string, string][]).toString();
    const response = await whenServed(() =>
      fetch(`${service.url}${PATH}?${query}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${service.adminToken}`, 'Content-Type': 'text/csv', ...headers },
        body,
      }),
    );
    const received = (await response.json()) as Sent['body'];
    expectDocumented('POST', PATH, response.status, response.headers, received);
    return { status: response.status, body: received };
  }
  const fileOf = (...lines: readonly string[]): string => ['Day,Narration,Out,In', ...lines.map((line) => `${today},${line}`)].join('\n');
  const references = (list: unknown): unknown => (list as { movement: { reference: string } }[]).map(({ movement }) => movement.reference);

  it('lists each row of the file, and what the books have besides', async () => {
    const { status, body } = await send(
      fileOf('NIP/inv 1/77,,500.25', 'INV2,,65', 'INV-3,,51', 'ACME,,5', 'PO-1,20,', 'STAMP DUTY,50,', 'Total,,9'),
    );
    const wallet = { partner_id: bank.partner_id, company_name: 'Sahel Savings Bank' };
    expect([status, body.data]).toMatchObject([
      200,
      {
        ok: false,
        mode: 'live',
        days: 3,
        tolerance: 0,
        sheet: null,
        date_order: null,
        totals: {
          file: { lines: 7, amount: 551.25 },
          matched: { lines: 3, amount: 545.25 },
          not_credited: { lines: 1, amount: 5 },
          different: { lines: 1, amount: 51 },
          skipped: { lines: 2, amount: -50 },
          not_in_file: { lines: 0, amount: 0 },
        },
        matched: [
          {
            row: { line: 2, amount: 500.25, date: today },
            movement: { ...wallet, date: today, kind: 'payment', reference: 'INV-1', amount: 500.25 },
            difference: null,
          },
          { row: { line: 3 }, movement: { reference: 'INV-2', amount: 65, bank_fee: 2, withheld_tax: 3 } },
          {
            row: { line: 6, amount: -20 },
            movement: { ...wallet, date: days.get('PO-1'), kind: 'payout', reference: 'PO-1', amount: -20, entry_kind: null },
          },
        ],
        not_credited: [{ row: { line: 5, narration: 'ACME', amount: 5 }, why: 'no_reference', movement: null }],
        different: [{ fields: ['amount'], rows: [{ line: 4 }], movement: { reference: 'INV-3', amount: 50, reversed: 40 } }],
        skipped: [
          { line: 7, amount: -50, why: 'money_out' },
          { line: 8, amount: null, why: 'total' },
        ],
      },
    ]);
  });

  it('matches a difference that is a recorded fee or within the tolerance, and names it', async () => {
    const { body } = await send(fileOf('INV-1,,500', 'INV-2,,67'), { ...COLUMNS, tolerance: '0.25' });
    expect(body.data.matched).toMatchObject([
      { difference: { amount: -0.25, because: 'tolerance' } },
      { difference: { amount: 2, because: 'bank_fee' } },
    ]);
  });

  it('matches ledger entries that move cash with money in and out, but none that was undone', async () => {
    const entry = { reason: 'of the bank', date: today };
    for (const [kind, amount, reference] of [
      ['bank_charge', 12.5, 'LE-1'],
      ['bank_interest', 3, 'LE-2'],
      ['bank_charge', 7, 'LE-3'],
    ] as const)
      expect((await admin(service, 'POST', '/ledger/entries', { ...entry, kind, amount, reference })).status).toBe(201);
    const undo = { ...entry, kind: 'reversal', of: 'LE-3', reference: 'LE-4' };
    expect((await admin(service, 'POST', '/ledger/entries', undo)).status).toBe(201);
    const { body } = await send(fileOf('FEE LE 1,12.50,', 'INTEREST le-2,,3', 'LE-3,7,'));
    expect(body.data).toMatchObject({
      matched: [
        { row: { line: 2 }, movement: { kind: 'entry', entry_kind: 'bank_charge', reference: 'LE-1', amount: -12.5 } },
        { row: { line: 3 }, movement: { kind: 'entry', entry_kind: 'bank_interest', reference: 'LE-2', amount: 3 } },
      ],
      skipped: [{ line: 4, why: 'money_out' }],
    });
    const unmatched = body.data.not_in_file as { readonly movement?: { readonly reference: string }; readonly reference?: string }[];
    expect(JSON.stringify(unmatched)).not.toMatch(/LE-[34]/);
  });

  it('compares the books of one mode alone, in the days that are given', async () => {
    const { body } = await send(fileOf('INV-1,,500.25'), { ...COLUMNS, mode: 'sandbox' });
    expect(body.data).toMatchObject({ mode: 'sandbox', matched: [], not_credited: [{ row: { line: 2 } }], not_in_file: [] });
    const { body: other } = await send(fileOf('INV-1,,500.25'), { ...COLUMNS, from: '2020-01-01', to: '2020-01-31' });
    expect(other.data).toMatchObject({ ok: true, from: '2020-01-01', to: '2020-01-31', not_in_file: [] });
  });

  it.each(['text/csv; charset=windows-1252', 'text/plain', 'application/octet-stream'])('takes a text as %s', async (type) => {
    expect((await send(fileOf('INV-1,,500.25'), COLUMNS, { 'Content-Type': type })).body.data.matched).toHaveLength(1);
  });

  it('takes a workbook, of which it reads the first sheet that has the columns', async () => {
    const sheets = {
      Cover: [['Statement']],
      March: [
        ['Day', 'Narration', 'Out', 'In'],
        [{ date: today }, 'INV-1', null, 500.25],
      ],
    };
    const { body } = await send(Buffer.from(workbook(sheets)), COLUMNS, { 'Content-Type': XLSX });
    expect([body.data.sheet, references(body.data.matched)]).toStrictEqual(['March', ['INV-1']]);
  });

  it('takes a file of 8 MiB, and none that is larger', async () => {
    const line = `${today},${'x'.repeat(380)},,5\n`;
    const whole = `Day,Narration,Out,In\n${line.repeat(Math.floor((8 * MEBIBYTE) / line.length) - 1)}`;
    const { status, body } = await send(whole);
    expect([status, (body.data.totals as { file: { lines: number } }).file.lines]).toStrictEqual([200, whole.split('\n').length - 2]);
    for (const bytes of [8 * MEBIBYTE + 1, 40 * MEBIBYTE]) {
      const { status: refused, body: tooLarge } = await send('x'.repeat(bytes));
      expect([refused, tooLarge.message]).toStrictEqual([413, 'The file is larger than 8 MiB. Send the file of a shorter period.']);
    }
  });

  it('takes files that are sent at once, also after a client that did not wait', async () => {
    const large = `Day,Narration,Out,In\n${`${today},${'INV '.repeat(40)},,5\n`.repeat(40_000)}`;
    const leaves = new AbortController();
    const headers = { Authorization: `Bearer ${service.adminToken}`, 'Content-Type': 'text/csv' };
    const url = `${service.url}${PATH}?${new URLSearchParams(COLUMNS).toString()}`;
    const left = fetch(url, { method: 'POST', headers, body: large, signal: leaves.signal }).catch((error: unknown) => error);
    const others = ['INV-1,,500.25', 'INV-2,,65', 'INV-3,,50'].map(async (row) => await send(fileOf(row)));
    leaves.abort();
    expect(await left).toMatchObject({ name: 'AbortError' });
    expect((await Promise.all(others)).map(({ status, body }) => [status, references(body.data.matched)])).toStrictEqual([
      [200, ['INV-1']],
      [200, ['INV-2']],
      [200, ['INV-3']],
    ]);
  });

  it('is refused as JSON, and other calls are refused with a file', async () => {
    const { status, body } = await send('{"csv":""}', COLUMNS, { 'Content-Type': 'application/json' });
    expect([status, body.message]).toStrictEqual([415, expect.stringContaining('text/csv')]);
    const headers = { Authorization: `Bearer ${service.adminToken}`, 'Content-Type': 'text/csv' };
    expect((await fetch(`${service.url}/admin/v1/checkpoints`, { method: 'POST', headers, body: 'a,b' })).status).toBe(415);
    expect((await send(fileOf(), COLUMNS, { 'Content-Encoding': 'gzip' })).status).toBe(415);
  });

  it('may be sent by an auditor, who may send nothing else, and is in the audit trail', async () => {
    const auditor = { Authorization: `Bearer ${service.auditorToken}` };
    const file = fileOf('INV-1,,500.25', 'INV-2,,65', 'INV-3,,50', 'PO-1,20,', 'LE-1,12.50,', 'LE-2,,3');
    expect((await send(file, COLUMNS, auditor)).body.data).toMatchObject({ ok: true });
    expect((await fetch(`${service.url}/admin/v1/checkpoints`, { method: 'POST', headers: auditor })).status).toBe(403);
    await isRecorded(200);
  });

  it('shows the columns of a file and the result in the console, where it is recorded, too', async () => {
    const auditor = new ConsoleVisitor(service);
    await auditor.signIn(service.auditorToken);
    const page = await (await auditor.get('/console/books/reconciliation')).text();
    const csrf = /data-csrf="([^"]+)"/.exec(page)?.[1] ?? '';
    const upload = async (to: string, file: string, token = csrf): Promise<string> => {
      const response = await auditor.upload(`/console/books/reconciliation/${to}`, file, { 'X-Csrf': token });
      return `${response.status} ${await response.text()}`;
    };
    const file = fileOf('INV-1,,500.25', 'ACME,,1');
    expect(await upload('columns', file)).toMatch(
      /^200 .*<select name="reference" required><option value>none<\/option>.*<option value="Narration" selected>/s,
    );
    expect(await upload('columns', '%PDF-1.7')).toContain('The file is a PDF.');
    const query = new URLSearchParams(COLUMNS).toString();
    const html = await upload(`result?${query}`, file);
    for (const text of ['not credited', 'ACME', 'not in the file', 'INV-3']) expect(html).toContain(text);
    expect(await upload(`result?${query.replace('Narration', 'Nowhere')}`, file)).toContain('The file has no column &quot;Nowhere&quot;.');
    expect(await upload('result', file, 'wrong')).toBe('403 ');
    await isRecorded(422);
  });

  async function isRecorded(status: number): Promise<void> {
    await until(async () => {
      const { entries } = (await admin(service, 'GET', '/audit-trail?limit=200&actor=auditor')).body.data as {
        entries: { action: string; status: number }[];
      };
      return entries.some((entry) => entry.action === `POST ${PATH}` && entry.status === status);
    });
  }

  it.each<[what: string, parameters: object, field: string]>([
    ['columns that the file does not have', { ...COLUMNS, reference: 'Nowhere' }, 'reference'],
    ['no column of amounts', { date: 'Day', reference: 'Narration' }, 'amount'],
    ['both kinds of columns of amounts', { ...COLUMNS, amount: 'In' }, 'amount'],
    ['debits without credits', { date: 'Day', reference: 'Narration', amount: 'In', debit: 'Out' }, 'debit'],
    ['no column of dates', { ...COLUMNS, date: '' }, 'date'],
    ['an unknown mode', { ...COLUMNS, mode: 'all' }, 'mode'],
    ['a time as the first day', { ...COLUMNS, from: '2026-03-01T00:00:00Z' }, 'from'],
    ['a period that ends before it begins', { ...COLUMNS, from: '2026-03-02', to: '2026-03-01' }, 'to'],
    ['a period that begins after the file', { ...COLUMNS, from: '2199-01-01' }, 'from'],
    ['too many days', { ...COLUMNS, days: '367' }, 'days'],
    ['a negative tolerance', { ...COLUMNS, tolerance: '-1' }, 'tolerance'],
    ['an unknown parameter', { ...COLUMNS, column: 'In' }, 'column'],
  ])('is refused for %s', async (_what, parameters, field) => {
    const { status, body } = await send(fileOf('INV-1,,500.25'), parameters);
    expect([status, Object.keys(body.data.errors as object)]).toStrictEqual([422, [field]]);
  });

  it('is refused without a file, and names the columns of one that has others', async () => {
    expect((await send('')).body.data.errors).toStrictEqual({ file: ['Send the file as the body of the request.'] });
    const { body } = await send(fileOf('INV-1,,500.25'), { ...COLUMNS, date: 'Value Date' });
    expect(body.data.errors).toStrictEqual({
      date: ['The file has no column "Value Date". Its columns are "Day", "Narration", "Out", "In".'],
    });
  });
});
