import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, call, makePartner } from '../support/client.js';
import { balancesOf } from '../support/ledger.js';
import { type TestService } from '../support/service.js';

let service: TestService;
let next = 0;

beforeAll(async () => {
  service = await startApplication();
  await admin(service, 'PUT', '/farmers/rp-1', { identity: { first_name: 'A' } });
});
afterAll(() => service.stop());

const post = async (body: object): Promise<ApiResponse> => {
  next += 1;
  return await admin(service, 'POST', '/ledger/entries', { reference: `e-${next}`, reason: 'by the bank', ...body });
};
const closingOf = async (account: string, query = ''): Promise<number> =>
  (await balancesOf(service, query)).accounts.find((each) => each.account === account)?.closing ?? 0;
const fieldsOf = ({ status, body }: ApiResponse): unknown => [status, Object.keys((body.data as { errors: object }).errors)];

/** Charges a new partner for a lookup, by which the providers of bvn and nin are owed NGN 60 each. */
async function oweProviders(): Promise<void> {
  const bank = await makePartner(service);
  expect((await bank.lookup('rp-1', { sections: ['bvn_nin_data'] })).status).toBe(200);
}

describe('a ledger entry', () => {
  it('is posted once per reference and mode, on the day of the call', async () => {
    const entry = { kind: 'bank_charge', amount: 52.5, reference: 'charge-1', reason: 'SMS alerts' };
    const today = new Date().toISOString().slice(0, 10);
    const shown = { mode: 'live', ...entry, account: null, of: null, actor: expect.stringMatching(/^admin/) };
    const first = await post(entry);
    expect(first).toMatchObject({ status: 201, body: { data: { ...shown, created: true } } });
    const { date, recorded_at } = first.body.data as { date: string; recorded_at: string };
    expect([date, date >= today]).toStrictEqual([recorded_at.slice(0, 10), true]);
    expect(await post({ ...entry, date })).toMatchObject({ status: 200, body: { data: { ...shown, date, recorded_at, created: false } } });
    for (const other of [{ amount: 52.51 }, { kind: 'bank_interest' }, { date: '2026-01-01' }, { reason: 'another' }]) {
      const refused = await post({ ...entry, ...other });
      expect(refused).toMatchObject({ status: 409, body: { code: 'conflict' } });
      expect(refused.body).not.toHaveProperty('data');
    }
    expect(await post({ ...entry, mode: 'sandbox' })).toMatchObject({ status: 201, body: { data: { mode: 'sandbox' } } });
    expect([await closingOf('bank_charges'), await closingOf('bank_charges', '?mode=sandbox')]).toStrictEqual([52.5, 52.5]);
  });

  it('counts from the first moment of its day, in balanced books', async () => {
    await post({ kind: 'bank_interest', amount: 7, date: '2026-01-10' });
    await post({ kind: 'opening_balance', account: 'cash_received', amount: 1_000, date: '2025-12-31' });
    await post({ kind: 'opening_balance', account: 'passthrough_payable.credit_bureau', amount: 300, date: '2025-12-31' });
    const interest = async (at: string): Promise<number> => await closingOf('interest_income', `?at=${at}`);
    expect([await interest('2026-01-09'), await interest('2026-01-09T23:59:59.999Z')]).toStrictEqual([0, 0]);
    expect([await interest('2026-01-10T00:00:00Z'), await interest('2026-01-10')]).toStrictEqual([-7, -7]);
    const of = (account: string, kind: string, opening: number, debit: number, credit: number, closing: number) => ({
      account,
      kind,
      opening,
      debit,
      credit,
      closing,
      balance: closing,
    });
    const { accounts, balanced } = await balancesOf(service, '?from=2026-01-01&to=2026-01-31');
    expect([accounts, balanced]).toStrictEqual([
      [
        of('cash_received', 'asset', 1_000, 7, 0, 1_007),
        of('interest_income', 'income', 0, 0, 7, -7),
        of('opening_balances', 'equity', -700, 0, 0, -700),
        of('passthrough_payable.credit_bureau', 'liability', -300, 0, 0, -300),
      ],
      true,
    ]);
  });

  it.each([
    [{ kind: 'bank_charge' }, ['amount']],
    [{ kind: 'bank_charge', amount: 0 }, ['amount']],
    [{ kind: 'bank_charge', amount: 1.001 }, ['amount']],
    [{ kind: 'bank_charge', amount: 1, account: 'bvn' }, ['account']],
    [{ kind: 'bank_charge', amount: 1, of: 'e-1' }, ['of']],
    [{ kind: 'bank_charge', amount: 1, date: '2199-01-01' }, ['date']],
    [{ kind: 'bank_charge', amount: 1, date: '2026-01-10T10:00:00Z' }, ['date']],
    [{ kind: 'bank_charge', amount: 1, date: '2026-02-30' }, ['date']],
    [{ kind: 'bank_charge', amount: 1, reason: '' }, ['reason']],
    [{ kind: 'bank_charge', amount: 1, reference: 'x'.repeat(256) }, ['reference']],
    [{ kind: 'bank_charge', amount: 1, mode: 'test' }, ['mode']],
    [{ kind: 'payment', amount: 1 }, ['kind']],
    [{ kind: 'passthrough_settlement', amount: 1 }, ['account']],
    [{ kind: 'passthrough_settlement', amount: 1, account: 'nobody' }, ['account']],
    ...['partner_balances', 'revenue.identity', 'refunds', 'interest_income', 'opening_balances', 'cash', ''].map(
      (account) => [{ kind: 'opening_balance', amount: 1, account }, ['account']] as const,
    ),
    [{ kind: 'reversal' }, ['of']],
    [{ kind: 'reversal', of: 'e-1', account: 'bvn' }, ['account']],
  ])('is refused with %j', async (body, fields) => {
    expect(fieldsOf(await post(body))).toStrictEqual([422, fields]);
  });

  it('is not for auditors', async () => {
    const body = { kind: 'bank_charge', amount: 1, reference: 'a', reason: 'a' };
    const refused = await call(service, 'POST', '/admin/v1/ledger/entries', {
      headers: { Authorization: `Bearer ${service.auditorToken}` },
      body,
    });
    expect(refused.status).toBe(403);
  });
});

describe('a settlement', () => {
  it('is of at most what the wallets owe the provider, however many arrive at the same time', async () => {
    await oweProviders();
    const settle = async (amount: number): Promise<ApiResponse> => await post({ kind: 'passthrough_settlement', account: 'bvn', amount });
    expect(await settle(60.01)).toMatchObject({ status: 409, body: { code: 'conflict', data: { available_amount: 60 } } });
    const statuses = (await Promise.all([25, 25, 25, 25].map(settle))).map(({ status }) => status);
    expect(statuses.sort()).toStrictEqual([201, 201, 409, 409]);
    expect(await closingOf('passthrough_payable.bvn')).toBe(-10);
    expect(await settle(10)).toMatchObject({ status: 201 });
    expect(await settle(0.01)).toMatchObject({ status: 409, body: { data: { available_amount: 0 } } });
  });

  it('may be dated before the charges, and is bound by what is owed at any date', async () => {
    await oweProviders();
    const settle = { kind: 'passthrough_settlement', account: 'nin', date: '2026-01-01' };
    expect(await post({ ...settle, amount: 1_000 })).toMatchObject({ status: 409, body: { data: { available_amount: 120 } } });
    expect(await post({ ...settle, amount: 120 })).toMatchObject({ status: 201, body: { data: { account: 'nin' } } });
    expect(await closingOf('passthrough_payable.nin', '?at=2026-01-01')).toBe(120);
    expect(await closingOf('passthrough_payable.nin')).toBe(0);
  });

  it('of the sandbox settles what sandbox wallets owe', async () => {
    const body = { kind: 'passthrough_settlement', account: 'bvn', amount: 1, mode: 'sandbox' };
    expect(await post(body)).toMatchObject({ status: 409, body: { data: { available_amount: 0 } } });
  });
});

describe('a certificate of withheld tax', () => {
  it('is of at most what partners withheld', async () => {
    const bank = await makePartner(service, { credit: 0 });
    const payment = { amount: 1_000, withheld_tax: 50, reference: 'withheld' };
    expect((await admin(service, 'POST', `/partners/${bank.partner_id}/wallet/credits`, payment)).status).toBe(200);
    const certificate = { kind: 'wht_certificate' };
    expect(await post({ ...certificate, amount: 50.01 })).toMatchObject({ status: 409, body: { data: { available_amount: 50 } } });
    expect((await post({ ...certificate, amount: 50 })).status).toBe(201);
    expect([await closingOf('wht_receivable'), await closingOf('wht_credit_notes')]).toStrictEqual([0, 50]);
  });
});

describe('a remittance of VAT', () => {
  it('is of at most what is payable, opening balances included', async () => {
    await post({ kind: 'opening_balance', account: 'vat_payable', amount: 75 });
    const before = -(await closingOf('vat_payable'));
    const refused = await post({ kind: 'vat_remittance', amount: before + 0.01 });
    expect(refused).toMatchObject({ status: 409, body: { data: { available_amount: before } } });
    expect((await post({ kind: 'vat_remittance', amount: 75 })).status).toBe(201);
  });
});

describe('a reversal', () => {
  it('undoes a whole entry, once, and by its own reference', async () => {
    const [opened, undone] = ['opened', 'undone'];
    await post({ kind: 'opening_balance', account: 'correction_expense', amount: 40, reference: opened, date: '2026-01-05' });
    const reversal = { kind: 'reversal', of: opened, reference: undone };
    expect(await post({ ...reversal, amount: 39 })).toMatchObject({ status: 409, body: { data: { reversible_amount: 40 } } });
    const shown = { kind: 'reversal', of: opened, amount: 40, account: 'correction_expense' };
    expect(await post(reversal)).toMatchObject({ status: 201, body: { data: { ...shown, created: true } } });
    expect(await post({ ...reversal, amount: 40 })).toMatchObject({ status: 200, body: { data: { ...shown, created: false } } });
    expect([await closingOf('correction_expense'), await closingOf('correction_expense', '?at=2026-01-31')]).toStrictEqual([0, 40]);
    for (const reference of [opened, undone, 'none'])
      expect(await post({ kind: 'reversal', of: reference })).toMatchObject({
        status: 409,
        body: { code: 'conflict', data: { reversible_amount: 0 } },
      });
  });
});
