import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { balancesOf, charge, withoutIndex } from '../support/ledger.js';
import { rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { givenPast } from '../support/wallet-past.js';
import { chargeOf } from '../support/unit/charge-of.js';
import { ALL_SEARCHED } from '../support/unit/searched-entries.js';

interface Row {
  readonly partner: string;
  readonly customer_number: number;
  readonly balance: number;
}

interface Prepaid {
  readonly mode: string;
  readonly at: string;
  readonly as_of_index: number;
  readonly partners: readonly Row[];
}

const AT = '2026-06-30';
const time = (day: string): string => `${day}T12:00:00.000Z`;

let service: TestService;
let bank: TestPartner;
let insurer: TestPartner;
let sandbox: TestPartner;

beforeAll(async () => {
  service = await startApplication();
  [bank, insurer] = [await makePartner(service, { credit: 0 }), await makePartner(service, { credit: 0 })];
  sandbox = await makePartner(service, { mode: 'sandbox', credit: 700 });
  const { partner_id } = bank;
  const credit = { kind: 'credit' as const, actor: 'test', ...ALL_SEARCHED };
  await givenPast(service, [
    { ...credit, partner_id, at: time('2025-12-01'), amount_kobo: 100_00, reference: 'oldest' },
    { ...credit, partner_id, at: time('2026-04-15'), amount_kobo: 300_00, reference: 'gift', credit_kind: 'goodwill', reason: 'why' },
    chargeOf({ ...charge, partner_id, at: time('2026-04-16'), lookup_id: 'given-back', breakdown_kobo: { 'svc_fee.identity': 60_00 } }),
    chargeOf({ ...charge, partner_id, at: time('2026-05-01'), lookup_id: 'kept', breakdown_kobo: { 'svc_fee.identity': 90_00 } }),
    { kind: 'refund', partner_id, at: time('2026-05-02'), actor: 'test', lookup_ids: ['given-back'], reason: 'failed' },
    // The service would refund a charge that stays open, between two reads that are compared.
    { kind: 'settle', partner_id, at: time('2026-05-02'), actor: 'test', lookup_ids: ['kept'] },
    { ...credit, partner_id: insurer.partner_id, at: time('2026-06-30'), amount_kobo: 5_00, reference: 'first' },
    chargeOf({
      ...charge,
      partner_id: insurer.partner_id,
      at: time('2026-07-01'),
      lookup_id: 'last',
      breakdown_kobo: { 'svc_fee.farms': 5_00 },
    }),
    { kind: 'settle', partner_id: insurer.partner_id, at: time('2026-07-02'), actor: 'test', lookup_ids: ['last'] },
  ]);
});
afterAll(() => service.stop());

const prepaid = async (query: string) => (await admin(service, 'GET', `/ledger/prepaid${query}`)).body.data as unknown as Prepaid;

describe('the prepaid money', () => {
  it('is listed for each partner with a balance, by the age of the money that its charges left', async () => {
    const { mode, at, as_of_index, partners } = await prepaid(`?at=${AT}`);
    expect({ mode, at }).toStrictEqual({ mode: 'live', at: '2026-06-30T23:59:59.999Z' });
    expect(as_of_index).toBeGreaterThan(0);
    const ages = { age_0_30: 0, age_31_90: 0, age_91_180: 0, age_over_180: 0 };
    expect(partners).toStrictEqual([
      {
        partner: bank.partner_id,
        customer_number: expect.any(Number),
        balance: 310,
        last_payment_at: time('2025-12-01'),
        last_lookup_at: time('2026-05-01'),
        ...ages,
        age_31_90: 250,
        age_over_180: 60,
      },
      {
        partner: insurer.partner_id,
        customer_number: (partners[0]?.customer_number ?? 0) + 1,
        balance: 5,
        last_payment_at: time('2026-06-30'),
        last_lookup_at: null,
        ...ages,
        age_0_30: 5,
      },
    ]);
  });

  it('counts nothing later than its moment, and sums to the account of the partners’ balances', async () => {
    for (const query of [`?at=${AT}`, '?at=2026-04-16T12:00:00.000Z', '?at=2025-11-30', '?at=2026-07-01', '?mode=sandbox', '']) {
      const { partners } = await prepaid(query);
      const { accounts } = await balancesOf(service, query);
      const owed = accounts.find(({ account }) => account === 'partner_balances')?.closing ?? 0;
      expect([query, partners.reduce((sum, { balance }) => sum + balance, 0)]).toStrictEqual([query, Math.abs(owed)]);
    }
    expect((await prepaid('?at=2026-07-01')).partners.map(({ partner }) => partner)).toStrictEqual([bank.partner_id]);
    expect((await prepaid('?mode=sandbox')).partners).toMatchObject([{ partner: sandbox.partner_id, balance: 700, age_0_30: 700 }]);
  });

  it('is the same as CSV, and printed by the command', async () => {
    const path = `/admin/v1/ledger/prepaid?at=${AT}&format=csv`;
    const response = await whenServed(() =>
      fetch(`${service.url}${path}`, { headers: { Authorization: `Bearer ${service.auditorToken}` } }),
    );
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="prepaid-live-2026-06-30.csv"');
    const { out } = await rupa(service, ['ledger', 'prepaid', '--at', AT, '--format', 'csv']);
    expect(`\uFEFF${await response.text()}`).toBe(out);
    const lines = out.split('\r\n');
    expect(lines[0]).toBe(
      '\uFEFFpartner,customer_number,balance,last_payment_at,last_lookup_at,age_0_30,age_31_90,age_91_180,age_over_180',
    );
    expect(lines[1]).toMatch(
      new RegExp(`^${bank.partner_id},\\d+,310\\.00,${time('2025-12-01')},${time('2026-05-01')},0\\.00,250\\.00,0\\.00,60\\.00$`),
    );
    expect(lines).toHaveLength(4);
    const printed = JSON.parse((await rupa(service, ['ledger', 'prepaid', '--at', AT, '--json'])).out) as Prepaid;
    expect(withoutIndex(printed)).toStrictEqual(withoutIndex(await prepaid(`?at=${AT}`)));
    expect((await rupa(service, ['ledger', 'prepaid', '--at', AT])).out).toMatch(/310\.00.*250\.00.*60\.00/);
  });

  it('is refused for a wrong moment or mode, and to partners', async () => {
    for (const [query, field] of [
      ['?at=2026-02-30', 'at'],
      ['?mode=all', 'mode'],
      ['?format=pdf', 'format'],
    ])
      expect(await admin(service, 'GET', `/ledger/prepaid${query}`)).toMatchObject({
        status: 422,
        body: { data: { errors: { [field ?? '']: [expect.any(String)] } } },
      });
    expect((await call(service, 'GET', '/admin/v1/ledger/prepaid', { headers: { 'X-API-KEY': bank.key } })).status).toBe(401);
  });
});
