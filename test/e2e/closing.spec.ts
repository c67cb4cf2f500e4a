import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { admin, type ApiResponse, call, whenServed } from '../support/client.js';
import { balancesOf, charge, type Ledger, startLedger } from '../support/ledger.js';
import { storesOf } from '../support/service-log.js';
import { givenPast } from '../support/wallet-past.js';
import { chargeOf } from '../support/unit/charge-of.js';

interface Closed {
  readonly period: string;
  readonly accounts: readonly { readonly account: string }[];
  readonly entries: number;
  readonly created: boolean;
}

let ledger: Ledger;
beforeAll(async () => {
  ledger = await startLedger();
});
afterAll(() => ledger.service.stop());

const thisMonth = (): string => new Date().toISOString().slice(0, 'yyyy-mm'.length);

const close = async (period: string, body: object = {}): Promise<ApiResponse> =>
  await admin(ledger.service, 'POST', `/ledger/periods/${period}/close`, body);
const closed = async (period: string, body: object = {}): Promise<Closed> => (await close(period, body)).body.data as unknown as Closed;
const post = async (reference: string, body: object): Promise<ApiResponse> =>
  await admin(ledger.service, 'POST', '/ledger/entries', { kind: 'bank_charge', amount: 10, reason: 'fees', reference, ...body });

const asAdministrator = () => ({ headers: { Authorization: `Bearer ${ledger.service.adminToken}` }, body: {} });

/** Returns the days of a month as parameters of a report. */
function daysOf(period: string): string {
  const [year = 0, month = 0] = period.split('-').map(Number);
  return `?from=${period}-01&to=${new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10)}`;
}

/** Expects that a month was closed with its trial balance and the number of its journal's entries. */
async function expectTotals({ period, accounts, entries }: Closed): Promise<void> {
  const balances = await balancesOf(ledger.service, daysOf(period));
  expect(accounts).toStrictEqual(balances.accounts.map(({ balance: _balance, ...account }) => account));
  const { body } = await admin(ledger.service, 'GET', `/ledger/journal${daysOf(period)}`);
  const lines = (body.data as unknown as { readonly lines: readonly { readonly entry: number }[] }).lines;
  expect(entries).toBe(new Set(lines.map(({ entry }) => entry)).size);
}

describe('a month of the books', () => {
  it('is not there before the first entry, nor before it begins', async () => {
    const unknown = { status: 404, body: { code: 'period_not_found' } };
    expect(await close('2025-12')).toMatchObject(unknown);
    expect(await close('2199-12')).toMatchObject(unknown);
    expect(await close('2026-13')).toMatchObject({ status: 422, body: { data: { errors: { month: expect.any(Array) } } } });
    expect(await close('2026-01', { mode: 'test' })).toMatchObject({ status: 422 });
  });

  it('is closed after its end, and after the months before it', async () => {
    const closable_from = expect.stringMatching(/^\d{4}-\d{2}-01T00:05:00\.000Z$/);
    expect(await close(thisMonth())).toMatchObject({ status: 409, body: { code: 'conflict', data: { closable_from } } });
    expect(await close('2026-02')).toMatchObject({ status: 409, body: { code: 'conflict', data: { next_period: '2026-01' } } });
  });

  it('is closed once, with its trial balance and the number of its entries', async () => {
    await post('opening', { kind: 'opening_balance', account: 'cash_received', date: '2025-12-15', amount: 500 });
    expect(await close('2026-01')).toMatchObject({ status: 409, body: { data: { next_period: '2025-12' } } });
    for (const period of ['2025-12', '2026-01', '2026-02', '2026-03']) {
      const first = await close(period);
      const row = { period, mode: 'live', closed_by: expect.stringMatching(/^admin/), index: expect.any(Number), created: true };
      expect(first).toMatchObject({ status: 201, body: { data: row } });
      expect(await close(period)).toStrictEqual({
        ...first,
        status: 200,
        headers: expect.anything(),
        body: { ...first.body, data: { ...(first.body.data as object), created: false } },
      });
      await expectTotals(first.body.data as unknown as Closed);
    }
  });

  it('takes no more entries, but those that it has', async () => {
    expect(await post('late', { date: '2026-03-31' })).toMatchObject({
      status: 409,
      body: { code: 'conflict', data: { period: '2026-03', open_from: '2026-04-01' } },
    });
    expect(await post('early', { date: '2024-01-01' })).toMatchObject({ status: 409, body: { data: { period: '2024-01' } } });
    const opening = { kind: 'opening_balance', account: 'cash_received', date: '2025-12-15', amount: 500 };
    expect(await post('opening', opening)).toMatchObject({ status: 200, body: { data: { created: false } } });
    expect(await post('undo', { kind: 'reversal', of: 'opening', amount: undefined })).toMatchObject({ status: 201 });
    expect(await post('april', { date: '2026-04-01' })).toMatchObject({ status: 201 });
    expect(await close('2026-02')).toMatchObject({ status: 200 });
    await expectTotals(await closed('2026-03'));
  });

  it('is closed by one of two at the same time', async () => {
    const results = await Promise.all([closed('2026-04'), closed('2026-04')]);
    expect(results.map(({ created }) => created).sort()).toStrictEqual([false, true]);
    await expectTotals(await closed('2026-04'));
  });

  it('has the entries that are posted during its close, or refuses them', async () => {
    const references = Array.from({ length: 12 }, (_, n) => `during-${n}`);
    const [, ...posts] = await Promise.all([close('2026-05'), ...references.map((each) => post(each, { date: '2026-05-31' }))]);
    for (const { status } of posts) expect([201, 409]).toContain(status);
    const may = await closed('2026-05');
    expect(may.entries).toBe(posts.filter(({ status }) => status === 201).length);
    await expectTotals(may);
  });

  it('of the sandbox is closed by itself', async () => {
    await post('sandbox', { mode: 'sandbox', date: '2026-02-01' });
    expect(await close('2026-01', { mode: 'sandbox' })).toMatchObject({ status: 404 });
    expect(await close('2026-02', { mode: 'sandbox' })).toMatchObject({ status: 201, body: { data: { mode: 'sandbox', entries: 1 } } });
  });

  it('is not closed by an auditor', async () => {
    const headers = { Authorization: `Bearer ${ledger.service.auditorToken}` };
    expect((await call(ledger.service, 'POST', '/admin/v1/ledger/periods/2026-06/close', { headers, body: {} })).status).toBe(403);
  });

  it('waits for its charges to end', async () => {
    const { partner_id } = ledger.agtech;
    const at = '2026-06-30T23:59:59.999Z';
    await givenPast(ledger.service, [
      chargeOf({ ...charge, partner_id, at, lookup_id: 'open', breakdown_kobo: { 'svc_fee.farms': 10_00 } }),
    ]);
    expect(await close('2026-06')).toMatchObject({ status: 409, body: { code: 'conflict', data: { open_charges: 1 } } });
    await givenPast(ledger.service, [{ kind: 'settle', partner_id, at, actor: 'test', lookup_ids: ['open'] }]);
    const june = await closed('2026-06');
    // A process keeps the sums of days that are over, to which a service adds nothing.
    await ledger.service.interrupt();
    await ledger.service.restart();
    await expectTotals(june);
  });
});

describe('an event of the books that cannot be used', () => {
  it('keeps the next month open', async () => {
    const client = EventStoreDBClient.connectionString((await storesOf(ledger.service)).eventStoreUrl);
    await client.appendToStream('wallet-nobody', jsonEvent({ type: 'OperatorNote', data: { a: 1 } })).finally(() => client.dispose());
    const refused = { status: 503, body: { code: 'unavailable' } };
    const { url } = ledger.service;
    expect(await call({ url }, 'POST', '/admin/v1/ledger/periods/2026-07/close', asAdministrator())).toMatchObject(refused);
    expect(await close('2026-06')).toMatchObject({ status: 200 });
  });
});

describe('the list of months', () => {
  interface Row {
    readonly period: string;
    readonly status: string;
  }
  const list = async (query = ''): Promise<Row[]> =>
    (await admin(ledger.service, 'GET', `/ledger/periods${query}`)).body.data.periods as Row[];

  it('has the closed months with what they were closed with, and the open ones through the present', async () => {
    const months = [thisMonth()];
    const periods = await list();
    months.push(thisMonth());
    const { created: _created, ...june } = await closed('2026-06');
    expect(periods.find(({ period }) => period === '2026-06')).toStrictEqual({ ...june, status: 'closed' });
    const open = { mode: 'live', status: 'open', closed_at: null, closed_by: null, entries: null, index: null, accounts: null };
    expect(periods.filter(({ status }) => status === 'open')).toStrictEqual(periods.slice(7).map(({ period }) => ({ ...open, period })));
    expect([periods[0]?.period, periods[7]?.period]).toStrictEqual(['2025-12', '2026-07']);
    expect(months).toContain(periods.at(-1)?.period);
    expect((await list('?mode=sandbox')).slice(0, 2)).toMatchObject([
      { period: '2026-02', status: 'closed', entries: 1 },
      { period: '2026-03', status: 'open' },
    ]);
  });

  it('is a file for spreadsheets, too, which auditors read', async () => {
    const headers = { Authorization: `Bearer ${ledger.service.auditorToken}` };
    const response = await whenServed(() => fetch(`${ledger.service.url}/admin/v1/ledger/periods?format=csv&mode=sandbox`, { headers }));
    expect([response.status, response.headers.get('Content-Disposition')]).toStrictEqual([
      200,
      'attachment; filename="periods-sandbox.csv"',
    ]);
    const text = Buffer.from(await response.arrayBuffer()).toString();
    expect(text).toMatch(
      /^\uFEFFperiod,mode,status,closed_at,closed_by,entries,index\r\n2026-02,sandbox,closed,[^,]+Z,admin[^,]*,1,\d+\r\n2026-03,sandbox,open,,,,\r\n/,
    );
  });
});
