import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { entryPostings } from '../../src/contexts/accounting/domain/entry-postings.js';
import { type LedgerEntryPosted } from '../../src/contexts/accounting/domain/events.js';
import { type Posting, postings } from '../../src/contexts/accounting/domain/postings.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { admin, call, evidenceFile, whenServed } from '../support/client.js';
import { balancesOf, type Ledger, startLedger } from '../support/ledger.js';
import { rupa } from '../support/rupa.js';

interface Line {
  readonly date: string;
  readonly entry: string;
  readonly account: string;
  readonly debit: number;
  readonly credit: number;
  readonly partner: string | null;
  readonly reference: string | null;
  readonly narration: string | null;
}

let ledger: Ledger;

beforeAll(async () => {
  ledger = await startLedger();
  const entry = { kind: 'bank_charge', amount: 25.5, reference: 'fees of January', date: '2026-01-31', reason: 'account fee' };
  expect((await admin(ledger.service, 'POST', '/ledger/entries', entry)).status).toBe(201);
});
afterAll(() => ledger.service.stop());

const journal = async (query = ''): Promise<Line[]> =>
  (await admin(ledger.service, 'GET', `/ledger/journal${query}`)).body.data.lines as Line[];
const sum = (amounts: readonly number[]): number => Math.round(amounts.reduce((total, each) => total + each, 0) * 100) / 100;

interface Moving {
  readonly index: number;
  readonly event: { readonly type: string };
  readonly posted: readonly Posting[];
}

/** Returns the events of the log that move money, with their indexes, from the evidence file. */
async function moving(partners: readonly string[]): Promise<Moving[]> {
  const lines = (await evidenceFile(ledger.service)).split('\n').slice(0, -1);
  return lines.flatMap((line): Moving[] => {
    const { index, stream, type, data } = JSON.parse(line) as { index: number; stream: string; type: string; data: string };
    const event = { type, data: JSON.parse(data) as unknown } as WalletEvent | LedgerEntryPosted;
    if (event.type === 'LedgerEntryPosted') return [{ index, event, posted: entryPostings(event.data) }];
    if (!partners.some((partner) => stream === `wallet-${partner}`)) return [];
    // A debit is stored in a short form, which the trial balance of the same period covers.
    return [{ index, event, posted: event.type === 'WalletDebited' ? [] : postings(event) }];
  });
}

describe('the journal', () => {
  it('has every entry by day and place in the log, with equal debits and credits and the index of its event', async () => {
    const lines = await journal();
    const { bank, agtech } = ledger;
    const events = await moving([bank.partner_id, agtech.partner_id]);
    expect(new Set(lines.map(({ entry }) => Number(entry)))).toStrictEqual(
      new Set(events.filter(({ event, posted }) => posted.length > 0 || event.type === 'WalletDebited').map(({ index }) => index)),
    );
    const places = lines.map(({ date, entry }) => `${date} ${entry.padStart(12, '0')}`);
    expect(places).toStrictEqual(places.toSorted());
    expect(lines.map(({ date }) => date)).toContain('2026-01-31');
    for (const [, entry] of Map.groupBy(lines, ({ entry: index }) => index))
      expect(sum(entry.map(({ debit }) => debit))).toBe(sum(entry.map(({ credit }) => credit)));
    for (const { index, posted } of events.filter(({ event }) => event.type !== 'WalletDebited'))
      expect(lines.filter(({ entry }) => entry === String(index)).map((l) => [l.account, l.debit * 100, l.credit * 100])).toStrictEqual(
        posted.map(({ account, debit_kobo, credit_kobo }) => [account, debit_kobo, credit_kobo]),
      );
  });

  it('names the partner, the reference or the lookup, and a sentence without the farmer', async () => {
    const { agtech } = ledger;
    const of = { partner: agtech.partner_id, code: null, credit: 0 };
    const lines = await journal('?from=2026-01-31&to=2026-02-01');
    expect(lines).toContainEqual(
      expect.objectContaining({
        ...of,
        date: '2026-01-31',
        account: 'cash_received',
        debit: 1_000,
        reference: 'past',
        narration: 'Payment received',
      }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ ...of, account: 'partner_balances', debit: 80, reference: 'l1', narration: 'Lookup charged' }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ ...of, date: '2026-02-01', account: 'passthrough_payable.bvn', debit: 60, narration: 'Lookup refunded' }),
    );
    expect(JSON.stringify(lines)).not.toContain('rp-1');
    const outside = { date: '2026-01-31', partner: null, reference: 'fees of January', narration: 'Bank charge: account fee' };
    expect(lines.filter(({ partner }) => partner === null)).toMatchObject([
      { ...outside, account: 'bank_charges', debit: 25.5, credit: 0 },
      { ...outside, account: 'cash_received', debit: 0, credit: 25.5 },
    ]);
  });

  it('sums to the movements of the trial balance of its period and mode', async () => {
    for (const period of ['?from=2026-01-31&to=2026-01-31', '?to=2026-02-01', '?from=2026-02-01', '?mode=sandbox', ''])
      for (const by of ['entry', 'day']) {
        const lines = await journal(`${period}${period === '' ? '?' : '&'}by=${by}`);
        const { accounts } = await balancesOf(ledger.service, period);
        const moved = accounts.map(({ account, debit, credit }): [string, number] => [account, sum([debit, -credit])]);
        const net = [...Map.groupBy(lines, ({ account }) => account)].map(([account, of]): [string, number] => [
          account,
          sum(of.map(({ debit, credit }) => debit - credit)),
        ]);
        expect([period, by, net.filter(([, amount]) => amount !== 0).toSorted()]).toStrictEqual([
          period,
          by,
          moved.filter(([, amount]) => amount !== 0),
        ]);
      }
  });

  it('of days has one row for each account, with its net movement alone', async () => {
    const of = { date: '2026-02-01', entry: '2026-02-01', code: null, partner: null, reference: null, narration: null };
    expect(await journal('?by=day&from=2026-02-01&to=2026-02-01')).toStrictEqual([]);
    expect(await journal('?by=day&to=2026-01-31')).toStrictEqual(
      [
        { account: 'bank_charges', debit: 25.5, credit: 0 },
        { account: 'cash_received', debit: 974.5, credit: 0 },
        { account: 'partner_balances', debit: 0, credit: 920 },
        { account: 'revenue.farms', debit: 0, credit: 80 },
      ].map((line) => ({ ...of, date: '2026-01-31', entry: '2026-01-31', ...line })),
    );
  });

  it('is the same as CSV, and printed by the command', async () => {
    const { service } = ledger;
    const query = '?from=2026-01-31&to=2026-01-31';
    const headers = { Authorization: `Bearer ${service.auditorToken}` };
    const response = await whenServed(() => fetch(`${service.url}/admin/v1/ledger/journal${query}&format=csv`, { headers }));
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="journal-live-2026-01-31.csv"');
    const text = await response.text();
    expect(text.split('\r\n')[0]).toBe('date,entry,account,code,debit,credit,partner,reference,narration');
    expect(text).toMatch(/^2026-01-31,\d+,cash_received,,1000\.00,0\.00,[^,]+,past,Payment received\r$/m);
    const command = ['ledger', 'journal', '--from', '2026-01-31', '--to', '2026-01-31'];
    expect((await rupa(service, [...command, '--format', 'csv'])).out).toBe(`\uFEFF${text}`);
    const printed = JSON.parse((await rupa(service, [...command, '--json'])).out) as { readonly lines: Line[] };
    expect(printed.lines).toStrictEqual(await journal(query));
    expect((await rupa(service, command)).out).toMatch(/cash_received .* 1,000\.00 .* Payment received/);
  });

  it.each(['entry', 'day'])(
    'by %s is a file that a program imports without rules of its own, and that sums to the trial balance',
    async (by) => {
      const { out } = await rupa(ledger.service, ['ledger', 'journal', '--by', by, '--format', 'csv']);
      const rows = parse(out, { bom: true, columns: true }) as unknown as Readonly<Record<string, string>>[];
      const { accounts } = await balancesOf(ledger.service);
      const known = new Set(accounts.map(({ account }) => account));
      for (const { date = '', account = '', debit = '', credit = '' } of rows) {
        expect(new Date(date).toISOString()).toBe(`${date}T00:00:00.000Z`);
        expect(known).toContain(account);
        expect([debit, credit].toSorted()).toStrictEqual(['0.00', expect.stringMatching(/^(?!0\.00$)\d+\.\d\d$/)]);
      }
      const net = (of: typeof rows): number => sum(of.map(({ debit, credit }) => Number(debit) - Number(credit)));
      for (const [entry, of] of Map.groupBy(rows, (row) => row.entry)) expect([entry, net(of)]).toStrictEqual([entry, 0]);
      const moved = accounts.map(({ account, closing }): [string, number] => [account, closing]).filter(([, amount]) => amount !== 0);
      const imported = [...Map.groupBy(rows, ({ account = '' }) => account)].map(([account, of]): [string, number] => [account, net(of)]);
      expect(imported.filter(([, amount]) => amount !== 0).toSorted()).toStrictEqual(moved);
    },
  );

  it('has the codes of ACCOUNT_CODES', async () => {
    const { service } = ledger;
    const settings = { ACCOUNT_CODES: 'cash_received=1200, revenue.farms=4000' };
    const { out } = await rupa(service, ['ledger', 'journal', '--to', '2026-01-31', '--by', 'day', '--json'], '', settings);
    const { lines } = JSON.parse(out) as { readonly lines: readonly { readonly account: string; readonly code: string | null }[] };
    expect(lines.map(({ account, code }) => [account, code])).toStrictEqual([
      ['bank_charges', null],
      ['cash_received', '1200'],
      ['partner_balances', null],
      ['revenue.farms', '4000'],
    ]);
  });

  it('is refused for periods and groups that do not exist, and to partners', async () => {
    const { service, bank } = ledger;
    for (const [query, field] of [
      ['?by=week', 'by'],
      ['?from=2026-03-01&to=2026-02-01', 'to'],
      ['?mode=all', 'mode'],
    ])
      expect(await admin(service, 'GET', `/ledger/journal${query}`)).toMatchObject({
        status: 422,
        body: { data: { errors: { [field ?? '']: [expect.any(String)] } } },
      });
    expect((await call(service, 'GET', '/admin/v1/ledger/journal', { headers: { 'X-API-KEY': bank.key } })).status).toBe(401);
  });
});
