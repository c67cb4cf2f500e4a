import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { formatNaira, MAX_KOBO, parseNaira, toNaira } from '../../src/kernel/money.js';
import { admin, balanceOf, call, makePartner, type TestPartner } from '../support/client.js';
import { type Account, balancesOf, prepaid, startLedger } from '../support/ledger.js';
import { rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';

let service: TestService;
let agtech: TestPartner;
let bank: TestPartner;

beforeAll(async () => {
  ({ service, bank, agtech } = await startLedger());
});
afterAll(() => service.stop());

const balances = (at = '') => balancesOf(service, at);

describe('the trial balance', () => {
  it('lists every account and sums to zero', async () => {
    const { at, accounts, ...rest } = await balances();
    expect(at).toBe(new Date().toISOString().slice(0, 10));
    const expected: Account[] = [
      { account: 'cash_received', debit: 101_000, credit: 0, balance: 101_000 },
      { account: 'lookup_revenue:bvn_nin_data', debit: 0, credit: 50, balance: -50 },
      { account: 'lookup_revenue:farms', debit: 0, credit: 80, balance: -80 },
      { account: 'lookup_revenue:identity', debit: 50.25, credit: 100.25, balance: -50 },
      { account: prepaid(bank), debit: 220, credit: 100_000, balance: -99_780 },
      { account: prepaid(agtech), debit: 190.25, credit: 1_110.25, balance: -920 },
      { account: 'passthrough_payable:bvn', debit: 60, credit: 120, balance: -60 },
      { account: 'passthrough_payable:nin', debit: 0, credit: 60, balance: -60 },
    ];
    expect(accounts).toStrictEqual(expected.sort((one, other) => (one.account < other.account ? -1 : 1)));
    expect(rest).toStrictEqual({ total_debit: 101_520.5, total_credit: 101_520.5, difference: 0, balanced: true });
    for (const partner of [bank, agtech])
      expect(accounts.find(({ account }) => account === prepaid(partner))?.balance).toBe(-(await balanceOf(service, partner)));
  });

  it('includes the whole of the requested day and nothing after it', async () => {
    const before = [
      { account: 'cash_received', debit: 1_000, credit: 0, balance: 1_000 },
      { account: 'lookup_revenue:farms', debit: 0, credit: 80, balance: -80 },
      { account: prepaid(agtech), debit: 80, credit: 1_000, balance: -920 },
    ];
    for (const at of ['2026-01-31', '2026-01-31T00:00:00Z', '2026-02-01T00:30:00%2B01:00'])
      expect(await balances(`?at=${at}`)).toMatchObject({ at: '2026-01-31', balanced: true, accounts: before });
    const after = { account: 'passthrough_payable:bvn', debit: 60, credit: 60, balance: 0 };
    expect((await balances('?at=2026-02-01')).accounts).toContainEqual(after);
    expect(await balances('?at=2026-01-30')).toMatchObject({ at: '2026-01-30', balanced: true, accounts: [] });
  });

  it('is available to administrators and auditors only, and refuses an invalid date', async () => {
    const path = '/admin/v1/ledger/trial-balance';
    expect((await call(service, 'GET', path, { headers: { Authorization: `Bearer ${service.auditorToken}` } })).status).toBe(200);
    expect((await call(service, 'GET', path, { headers: { 'X-API-KEY': bank.key } })).status).toBe(401);
    expect(await admin(service, 'GET', '/ledger/trial-balance?at=2026-02-30')).toMatchObject({
      status: 422,
      body: { data: { errors: { at: ['The at field must be an ISO 8601 date or timestamp.'] } } },
    });
  });
});

describe('the history of the price book', () => {
  it('lists every version with its time, publisher and fees, the built-in one first', async () => {
    const history = async () =>
      (await admin(service, 'GET', '/price-book/history')).body.data.versions as {
        version: number;
        published_at: string | null;
        actor: string | null;
        fees: Record<string, number>;
      }[];
    const [first, ...others] = await history();
    expect([first, others]).toStrictEqual([
      { version: 1, published_at: null, actor: null, fees: expect.objectContaining({ 'svc_fee.identity': 50 }) },
      [],
    ]);
    const fees = { ...first?.fees, 'svc_fee.identity': 75.5 };
    await admin(service, 'PUT', '/price-book', { fees });
    expect(await history()).toStrictEqual([
      first,
      { version: 2, published_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/), actor: 'admin', fees },
    ]);
    const { out } = await rupa(service, ['prices', 'history']);
    expect(out).toMatch(/│ +1 │ built in +│ +│ svc_fee\.identity +│ +50\.00 │ +│/);
    expect(out).toMatch(/│ +2 │ \d{4}-\S+Z +│ admin │ svc_fee\.identity +│ +75\.50 │ +50\.00 │/);
    expect((await rupa(service, ['prices', 'history', '--format', 'csv'])).out).toMatch(
      /\r\n2,\d{4}-\S+Z,admin,svc_fee\.identity,75\.50\r\n/,
    );
    expect(JSON.parse((await rupa(service, ['prices', 'history', '--format', 'json'])).out)).toStrictEqual(await history());
  });
});

describe('the trial balance of wallets at their limit', () => {
  it('has every digit of sums that are beyond the exact range of JavaScript’s numbers', async () => {
    const headers = { Authorization: `Bearer ${service.adminToken}` };
    const cash = async () => {
      const text = await (await fetch(`${service.url}/admin/v1/ledger/trial-balance`, { headers })).text();
      return parseNaira(/"account":"cash_received","debit":([\d.]+),/.exec(text)?.[1] ?? '') ?? Number.NaN;
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
    const text = await (await fetch(`${service.url}/admin/v1/ledger/trial-balance`, { headers })).text();
    expect(text).toContain(`"account":"cash_received","debit":${formatNaira(BigInt(before) + 2n * BigInt(MAX_KOBO), '')},`);
  });
});
