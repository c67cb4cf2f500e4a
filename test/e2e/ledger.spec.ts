import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { kindOf } from '../../src/contexts/accounting/domain/chart-of-accounts.js';
import { type Posting, postings } from '../../src/contexts/accounting/domain/postings.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { formatNaira, MAX_KOBO, parseNaira, toNaira } from '../../src/kernel/money.js';
import { admin, balanceOf, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { type Account, balancesOf, startLedger } from '../support/ledger.js';
import { rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { runWallet, walletCommands } from '../support/unit/wallet-history.js';
import { givenPast } from '../support/wallet-past.js';

let service: TestService;
let agtech: TestPartner;
let bank: TestPartner;
let sandbox: TestPartner;

beforeAll(async () => {
  ({ service, bank, agtech, sandbox } = await startLedger());
});
afterAll(() => service.stop());

const balances = (query = '') => balancesOf(service, query);
const IN_BALANCE = { total_opening: 0, total_closing: 0, difference: 0, balanced: true };
const line = (account: string, opening: number, debit: number, credit: number, closing: number): Account => ({
  account,
  kind: kindOf(account),
  opening,
  debit,
  credit,
  closing,
  balance: closing,
});

describe('the trial balance', () => {
  it('lists every account of live wallets and sums to zero', async () => {
    const begun = new Date().toISOString();
    const { at, as_of_index, accounts, ...rest } = await balances();
    expect(as_of_index).toBeGreaterThan(0);
    expect([at >= begun, at <= new Date().toISOString()]).toStrictEqual([true, true]);
    const expected: Account[] = [
      line('cash_received', 0, 101_000, 0, 101_000),
      line('partner_balances', 0, 410.25, 101_110.25, -100_700),
      line('passthrough_payable.bvn', 0, 60, 120, -60),
      line('passthrough_payable.nin', 0, 0, 60, -60),
      line('revenue.bvn_nin_data', 0, 0, 50, -50),
      line('revenue.farms', 0, 0, 80, -80),
      line('revenue.identity', 0, 50.25, 100.25, -50),
    ];
    expect(accounts).toStrictEqual(expected);
    expect(rest).toStrictEqual({ mode: 'live', from: null, total_debit: 101_520.5, total_credit: 101_520.5, ...IN_BALANCE });
    expect((await balanceOf(service, bank)) + (await balanceOf(service, agtech))).toBe(100_700);
  });

  it('of the sandbox counts sandbox wallets alone', async () => {
    const { at, as_of_index: _, ...rest } = await balances('?mode=sandbox');
    expect(at).toMatch(/Z$/);
    const accounts = [line('cash_received', 0, 700, 0, 700), line('partner_balances', 0, 0, 700, -700)];
    expect(rest).toStrictEqual({ mode: 'sandbox', from: null, accounts, total_debit: 700, total_credit: 700, ...IN_BALANCE });
    expect(await balanceOf(service, sandbox)).toBe(700);
  });

  it('includes everything up to the requested moment, or to the end of a date, and nothing after it', async () => {
    const before = [
      line('cash_received', 0, 1_000, 0, 1_000),
      line('partner_balances', 0, 80, 1_000, -920),
      line('revenue.farms', 0, 0, 80, -80),
    ];
    for (const at of ['2026-01-31', '2026-01-31T23:59:59.999Z', '2026-02-01T00:59:59.999%2B01:00'])
      expect(await balances(`?at=${at}`)).toMatchObject({ at: '2026-01-31T23:59:59.999Z', balanced: true, accounts: before });
    for (const at of ['2026-02-01', '2026-02-01T00:00:00Z'])
      expect((await balances(`?at=${at}`)).accounts).toContainEqual(line('passthrough_payable.bvn', 0, 60, 60, 0));
    for (const at of ['2026-01-30', '2026-01-31T00:00:00Z', '2026-01-31T23:59:59.998Z'])
      expect(await balances(`?at=${at}`)).toMatchObject({ balanced: true, accounts: [] });
  });

  it('of a period carries what came before it, and counts both of its days', async () => {
    const january = [
      line('cash_received', 0, 1_000, 0, 1_000),
      line('partner_balances', 0, 80, 1_000, -920),
      line('revenue.farms', 0, 0, 80, -80),
    ];
    for (const query of ['?to=2026-01-31', '?from=2026-01-31&to=2026-01-31', '?from=2026-01-01&to=2026-01-31'])
      expect(await balances(query)).toMatchObject({ accounts: january, ...IN_BALANCE });
    expect(await balances('?from=2026-02-01&to=2026-02-28')).toMatchObject({
      mode: 'live',
      from: '2026-02-01',
      at: '2026-02-28T23:59:59.999Z',
      accounts: [
        line('cash_received', 1_000, 0, 0, 1_000),
        line('partner_balances', -920, 110.25, 110.25, -920),
        line('passthrough_payable.bvn', 0, 60, 60, 0),
        line('revenue.farms', -80, 0, 0, -80),
        line('revenue.identity', 0, 50.25, 50.25, 0),
      ],
      total_debit: 220.5,
      total_credit: 220.5,
      ...IN_BALANCE,
    });
    const sinceFebruary = await balances('?from=2026-02-01');
    expect(sinceFebruary.accounts.map(({ account, closing }) => [account, closing])).toStrictEqual(
      (await balances()).accounts.map(({ account, closing }) => [account, closing]),
    );
  });

  it('is a file for spreadsheets, too', async () => {
    const path = '/admin/v1/ledger/trial-balance?to=2026-01-31&format=csv';
    const response = await whenServed(() =>
      fetch(`${service.url}${path}`, { headers: { Authorization: `Bearer ${service.auditorToken}` } }),
    );
    expect([response.status, response.headers.get('Content-Type'), response.headers.get('Content-Disposition')]).toStrictEqual([
      200,
      'text/csv; charset=utf-8',
      'attachment; filename="trial-balance-live-2026-01-31.csv"',
    ]);
    expect(Buffer.from(await response.arrayBuffer()).toString()).toBe(
      '\uFEFFaccount,kind,opening,debit,credit,closing\r\ncash_received,asset,0.00,1000.00,0.00,1000.00\r\npartner_balances,liability,0.00,80.00,1000.00,-920.00\r\nrevenue.farms,income,0.00,0.00,80.00,-80.00\r\n',
    );
  });

  it.each([
    ['at=2026-01-31&from=2026-01-01', 'at'],
    ['at=2026-01-31&to=2026-01-31', 'at'],
    ['from=2026-02-01&to=2026-01-31', 'to'],
    ['from=2026-02-30', 'from'],
    ['to=2026-02-01T00:00:00Z', 'to'],
    ['format=pdf', 'format'],
  ])('is refused with %s', async (query, field) => {
    const { status, body } = await admin(service, 'GET', `/ledger/trial-balance?${query}`);
    expect([status, Object.keys(body.data.errors as object)]).toStrictEqual([422, [field]]);
  });

  it('is at any moment, in either mode, the sum of the postings up to that moment', async () => {
    const times = ['2025-12-03T08:00:00.000Z', '2025-12-03T08:00:00.001Z', '2025-12-03T20:00:00.000Z', '2025-12-04T00:00:00.000Z'] as const;
    const events: Record<string, WalletEvent[]> = { live: [], sandbox: [] };
    for (const [seed, mode] of ['live', 'sandbox', 'live', 'sandbox'].entries()) {
      const { partner_id } = await makePartner(service, { mode, credit: 0 });
      const [commands = []] = fc
        .sample(walletCommands(partner_id, times), { numRuns: 20, seed })
        .sort((one, other) => other.length - one.length);
      const open = ['l0', 'l1', 'l2', 'l3', 'l4', 'l5'];
      // The service itself would refund an old open charge, so every charge is settled.
      const settle = { kind: 'settle' as const, partner_id, at: times[3], actor: 'test', lookup_ids: open };
      const past = runWallet([...commands, settle]);
      await givenPast(service, past.accepted);
      events[mode]?.push(...past.events);
    }
    // A process keeps the sums of days that are over, to which a service adds nothing.
    await service.interrupt();
    await service.restart();
    for (const [mode, recorded] of Object.entries(events)) {
      for (const at of ['2025-12-03T07:59:59.999Z', ...times, '2025-12-03', '2025-12-04']) {
        const until = at.length === 10 ? `${at}T23:59:59.999Z` : at;
        const counted = recorded.filter(({ data }) => data.recorded_at <= until).flatMap(postings);
        const { accounts } = await balances(`?mode=${mode}&at=${at}`);
        expect(accounts.map(({ account, debit, credit }) => [account, debit, credit])).toStrictEqual(totalsOf(counted));
      }
    }
    expect(events.live?.length).toBeGreaterThan(20);
  });

  it('is available to administrators and auditors only, and refuses an invalid date or mode', async () => {
    const path = '/admin/v1/ledger/trial-balance';
    expect((await call(service, 'GET', path, { headers: { Authorization: `Bearer ${service.auditorToken}` } })).status).toBe(200);
    expect((await call(service, 'GET', path, { headers: { 'X-API-KEY': bank.key } })).status).toBe(401);
    expect(await admin(service, 'GET', '/ledger/trial-balance?mode=all')).toMatchObject({
      status: 422,
      body: { data: { errors: { mode: ['The mode field must be one of live, sandbox.'] } } },
    });
    expect(await admin(service, 'GET', '/ledger/trial-balance?at=2026-02-30')).toMatchObject({
      status: 422,
      body: { data: { errors: { at: ['The at field must be an ISO 8601 date or timestamp.'] } } },
    });
  });
});

describe('the history of the price book', () => {
  it('lists every version with its times, publisher, fees and VAT, beginning with the log’s first one', async () => {
    const history = async () =>
      (await admin(service, 'GET', '/price-book/history')).body.data.versions as {
        version: number;
        published_at: string | null;
        effective_at: string | null;
        actor: string | null;
        fees: Record<string, number>;
      }[];
    const [first, ...others] = await history();
    expect([first, others]).toStrictEqual([
      {
        version: 1,
        published_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        effective_at: first?.published_at,
        actor: 'service',
        fees: expect.objectContaining({ 'svc_fee.identity': 50 }),
        vat_percent: 0,
      },
      [],
    ]);
    const fees = { ...first?.fees, 'svc_fee.identity': 75.5 };
    await admin(service, 'PUT', '/price-book', { fees, vat_percent: 7.5 });
    const versions = await history();
    const published_at = versions[1]?.published_at;
    expect(published_at).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect(versions).toStrictEqual([
      first,
      { version: 2, published_at, effective_at: published_at, actor: 'admin', fees, vat_percent: 7.5 },
    ]);
    const { out } = await rupa(service, ['prices', 'history']);
    expect(out).toMatch(/│ +1 │ \d{4}-\S+Z +│ \d{4}-\S+Z +│ service │ +0 │ svc_fee\.identity +│ +50\.00 │ +│/);
    expect(out).toMatch(/│ +2 │ \d{4}-\S+Z +│ \d{4}-\S+Z +│ admin +│ +7\.5 │ svc_fee\.identity +│ +75\.50 │ +50\.00 │/);
    expect((await rupa(service, ['prices', 'history', '--format', 'csv'])).out).toMatch(
      /\r\n2,\d{4}-\S+Z,\d{4}-\S+Z,admin,svc_fee\.identity,75\.50,7\.5\r\n/,
    );
    expect(JSON.parse((await rupa(service, ['prices', 'history', '--format', 'json'])).out)).toStrictEqual(await history());
  });
});

describe('the trial balance of wallets at their limit', () => {
  it('has every digit of sums that are beyond the exact range of JavaScript’s numbers', async () => {
    const headers = { Authorization: `Bearer ${service.adminToken}` };
    const cash = async () => {
      const text = await (await whenServed(() => fetch(`${service.url}/admin/v1/ledger/trial-balance`, { headers }))).text();
      return parseNaira(/"account":"cash_received","kind":"asset","opening":0,"debit":([\d.]+),/.exec(text)?.[1] ?? '') ?? Number.NaN;
    };
    const before = await cash();
    const partners = [await makePartner(service, { credit: 0.01 }), await makePartner(service, { credit: 0.01 })];
    for (const { partner_id } of partners)
      await admin(service, 'POST', `/partners/${partner_id}/wallet/credits`, { amount: toNaira(MAX_KOBO - 1), reference: 'limit' });
    const full = partners[0]?.partner_id ?? '';
    expect(await admin(service, 'POST', `/partners/${full}/wallet/credits`, { amount: 0.01, reference: 'more' })).toMatchObject({
      status: 409,
      body: { message: 'A wallet holds at most NGN 70368744177664, its open charges included. Credit less.' },
    });
    expect((await admin(service, 'GET', `/partners/${full}/wallet`)).body.data).toMatchObject({ balance: toNaira(MAX_KOBO) });
    const text = await (await whenServed(() => fetch(`${service.url}/admin/v1/ledger/trial-balance`, { headers }))).text();
    expect(text).toContain(
      `"account":"cash_received","kind":"asset","opening":0,"debit":${formatNaira(BigInt(before) + 2n * BigInt(MAX_KOBO), '')},`,
    );
  });
});

/** Returns the accounts with their debits and credits in NGN, in the order of their names. */
function totalsOf(posted: readonly Posting[]): [string, number, number][] {
  const sum = (each: readonly Posting[], side: 'debit_kobo' | 'credit_kobo') => each.reduce((kobo, posting) => kobo + posting[side], 0);
  return [...Map.groupBy(posted, ({ account }) => account)]
    .map(([account, each]): [string, number, number] => [account, sum(each, 'debit_kobo') / 100, sum(each, 'credit_kobo') / 100])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}
