import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { ISSUER, startApplication } from '../support/application.js';
import { admin, entriesOf, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { pastOf } from '../support/february.js';
import { balancesOf } from '../support/ledger.js';
import { rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { textOf } from '../support/unit/pdf-text.js';
import { givenPartner, givenPast } from '../support/wallet-past.js';
import { ALL_SEARCHED } from '../support/unit/searched-entries.js';

const FORMATS = ['json', 'csv', 'html', 'pdf'] as const;
const LEGAL = { name: 'Savannah Plc', address: '12 Marina, Lagos', tax_id: '87654321-0001', registration_number: 'RC 7', email: null };
const [BEFORE, REGISTERED] = ['2026-01', '2026-02'];

interface Closed {
  readonly closed_at: string;
  readonly index: number | null;
}

/** Months are closed for all partners, so this spec runs an application of its own. */
describe('the statement of a closed month', () => {
  const lookups = [randomUUID(), randomUUID()] as const;
  let service: TestService;
  let bank: TestPartner;
  let closed: Closed;

  const show = async (month: string, { partner_id } = bank) =>
    await admin(service, 'GET', `/partners/${partner_id}/wallet/statements/${month}`);
  const close = async (month: string): Promise<Closed> =>
    (await admin(service, 'POST', `/ledger/periods/${month}/close`, {})).body.data as unknown as Closed;

  /** Returns the files of February by administrator, auditor and partner, and as the command line prints them. */
  const files = async (): Promise<Record<string, Buffer>> => {
    const found: Record<string, Buffer> = {};
    for (const format of FORMATS) {
      const query = `wallet/statements/2026-02?format=${format}`;
      for (const [caller, path, headers] of [
        ['administrator', `/admin/v1/partners/${bank.partner_id}/${query}`, { Authorization: `Bearer ${service.adminToken}` }],
        ['auditor', `/admin/v1/partners/${bank.partner_id}/${query}`, { Authorization: `Bearer ${service.auditorToken}` }],
        ['partner', `/v1/rupa/${query}`, { 'X-API-KEY': bank.key }],
      ] as const) {
        const response = await whenServed(() => fetch(`${service.url}${path}`, { headers }));
        expect(response.status).toBe(200);
        found[`${caller} ${format}`] = Buffer.from(await response.arrayBuffer());
      }
    }
    return found;
  };

  beforeAll(async () => {
    service = await startApplication(ISSUER);
    bank = await makePartner(service, { company_name: 'Savannah Bank', credit: 0 });
    await admin(service, 'PATCH', `/partners/${bank.partner_id}`, { legal: LEGAL });
    await admin(service, 'PUT', '/farmers/rp-statement-1', {});
    const payment = { kind: 'credit' as const, amount_kobo: 500_00, reference: 'taxed', ...ALL_SEARCHED };
    const deductions = { bank_fee_kobo: 53_75, withheld_tax_kobo: 25_00 };
    const by = { partner_id: bank.partner_id, actor: 'test' };
    await givenPast(service, [...pastOf(bank.partner_id, lookups, 7.5), { ...by, ...payment, deductions, at: '2026-02-28T23:59:59.999Z' }]);
    await givenPartner(service, 'registered-in-february', '2026-02-28T23:59:59.999Z');
    await close(BEFORE);
    closed = await close(REGISTERED);
    await close('2026-03');
  });
  afterAll(() => service.stop());

  it('has its number, the close, the issuer, the customer, prices and VAT', async () => {
    const { customer_number } = (await admin(service, 'GET', `/partners/${bank.partner_id}`)).body.data;
    const identity = { section: 'identity', provider: null, vat_percent: 7.5 };
    expect((await show('2026-02')).body.data).toMatchObject({
      statement_number: `RUPA-202602-${String(customer_number)}`,
      is_tax_invoice: true,
      period: { status: 'closed', from: '2026-02-01', to: '2026-02-28' },
      complete: true,
      made_at: closed.closed_at,
      as_of_index: closed.index,
      issuer: { name: 'Rupa <Data> Ltd', address: '1 Marina, Lagos', tax_id: '12345678-0001' },
      customer: { number: customer_number, company_name: 'Savannah Bank', legal: LEGAL },
      opening_balance: 1_000,
      lines: [
        { section: 'bvn_nin_data', quantity: 1, unit_price: 50, vat_percent: 7.5, net: 46.51, vat: 3.49, amount: 50 },
        { ...identity, quantity: 1, unit_price: 50, net: 46.51, vat: 3.49, amount: 50 },
        { ...identity, quantity: 1, unit_price: 50.25, net: 46.74, vat: 3.51, amount: 50.25 },
        { ...identity, quantity: -1, unit_price: 50.25, net: -46.74, vat: -3.51, amount: -50.25 },
        { section: null, provider: 'bvn', quantity: 1, unit_price: 60, vat_percent: 0, net: 60, vat: 0, amount: 60 },
        { section: null, provider: 'nin', quantity: 1, unit_price: 60, vat_percent: 0, net: 60, vat: 0, amount: 60 },
      ],
      vat: [
        { vat_percent: 0, net: 120, vat: 0, gross: 120 },
        { vat_percent: 7.5, net: 93.02, vat: 6.98, gross: 100 },
      ],
      credits: {
        total: 525,
        items: [
          { amount: 25, bank_fee: 0, withheld_tax: 0 },
          { amount: 500, bank_fee: 53.75, withheld_tax: 25 },
        ],
      },
      closing_balance: 1_305,
      closing_head: { revision: 8 },
    });
    const { accounts } = await balancesOf(service, '?from=2026-02-01&to=2026-02-28');
    expect(accounts.find(({ account }) => account === 'vat_payable')).toMatchObject({ opening: 0, closing: -6.98 });
  });

  it('is there for each partner registered by the month’s end, and not for the months before', async () => {
    const partner = { ...bank, partner_id: 'registered-in-february' };
    expect((await show(REGISTERED, partner)).body.data).toMatchObject({
      statement_number: expect.stringMatching(/^RUPA-202602-1\d{3}$/),
      is_tax_invoice: false,
      lines: [],
      opening_balance: 0,
      closing_balance: 0,
    });
    for (const month of [BEFORE, '2025-12', '2199-01'])
      expect(await show(month, partner)).toMatchObject({ status: 404, body: { code: 'statement_not_found' } });
    const late = await makePartner(service, { credit: 0 });
    expect((await show(REGISTERED, late)).status).toBe(404);
  });

  it('has the same bytes in each format, for each caller, whatever happened since its close', async () => {
    const before = await files();
    const wallet = `/partners/${bank.partner_id}/wallet`;
    const stray = { kind: 'credit' as const, partner_id: bank.partner_id, actor: 'test', reference: 'stray', ...ALL_SEARCHED };
    await givenPast(service, [{ ...stray, at: '2026-02-28T23:59:59.999Z', amount_kobo: 7_00 }]);
    await admin(service, 'PATCH', `/partners/${bank.partner_id}`, { company_name: 'Renamed Bank', legal: null });
    const typo = { credit_reference: 'opening', amount: 100, reason: 'a typo', reference: 'late-1' };
    expect((await admin(service, 'POST', `${wallet}/reversals`, typo)).body.success).toBe(true);
    const goodwill = { amount: 30, kind: 'goodwill', reason: 'sorry', reference: 'late-2' };
    expect((await admin(service, 'POST', `${wallet}/credits`, goodwill)).body.success).toBe(true);
    expect((await admin(service, 'POST', `/lookups/${lookups[0]}/compensation`, { reason: 'a complaint' })).body.success).toBe(true);
    expect((await admin(service, 'DELETE', '/farmers/rp-statement-1')).status).toBeLessThan(300);
    expect(await files()).toStrictEqual(before);
    // The command has other settings than the application.
    for (const format of ['csv', 'html'] as const) {
      const { out } = await rupa(service, ['wallet', 'statement', bank.partner_id, '2026-02', '--format', format], '', {
        ISSUER_NAME: 'Another Ltd',
        ISSUER_PREFIX: 'OTHER',
      });
      expect(out).toBe(before[`administrator ${format}`]?.toString());
    }
    expect((await textOf(before['partner pdf'] ?? Buffer.alloc(0))).join(' ')).toContain('Tax invoice, February 2026');
  });

  it('is followed by statements that begin where it ends and show what came late', async () => {
    const [february, march, april] = [await show('2026-02'), await show('2026-03'), await show('2026-04')].map(({ body }) => body.data);
    expect(march).toMatchObject({ opening_head: february?.closing_head, credits: { total: 0 }, lines: [], closing_balance: 1_305 });
    expect(april).toMatchObject({
      statement_number: null,
      period: { status: 'open' },
      customer: { company_name: 'Renamed Bank', legal: { name: null } },
      opening_head: march?.closing_head,
      opening_balance: 1_305,
      credits: { total: 7, items: [{ reference: 'stray', recorded_at: '2026-02-28T23:59:59.999Z' }] },
      closing_balance: 1_312,
    });
    const late = (await entriesOf(service, bank)).find(({ reference }) => reference === 'late-1');
    expect((await show(late?.recorded_at.slice(0, 'yyyy-mm'.length) ?? '')).body.data).toMatchObject({
      complete: false,
      opening_balance: 1_312,
      credits: {
        total: -70,
        items: [
          { amount: -100, kind: 'payment', credit_reference: 'opening', reference: 'late-1', reason: 'a typo' },
          { amount: 30, kind: 'goodwill', credit_reference: null },
        ],
      },
      vat: [
        { vat_percent: 0, net: -120, vat: 0, gross: -120 },
        { vat_percent: 7.5, net: -93.02, vat: -6.98, gross: -100 },
      ],
      refunds: { total: 220, items: [{ amount: 220, lookup_id: lookups[0], reason: 'a complaint' }] },
      closing_balance: 1_462,
    });
  });
});
