import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { balancesOf, charge, withoutIndex } from '../support/ledger.js';
import { rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { givenPast } from '../support/wallet-past.js';
import { chargeOf } from '../support/unit/charge-of.js';
import { ALL_SEARCHED } from '../support/unit/searched-entries.js';

interface Group {
  readonly lookups: number;
  readonly net: number;
  readonly vat: number;
  readonly gross: number;
  readonly refunds: number;
}

interface Revenue {
  readonly from: string | null;
  readonly to: string;
  readonly as_of_index: number;
  readonly groups: readonly Group[];
}

const actor = 'test';
const credit = { kind: 'credit' as const, actor, ...ALL_SEARCHED, amount_kobo: 5_000_00, reference: 'first' };
const time = (day: string): string => `${day}T12:00:00.000Z`;
const BREAKDOWN = { 'svc_fee.identity': 100_00, 'svc_fee.farms': 50_00, 'svc_fee.wallet': 0, 'passthrough.bvn': 60_00 };

let service: TestService;
let bank: TestPartner;
let insurer: TestPartner;

beforeAll(async () => {
  service = await startApplication();
  [bank, insurer] = [await makePartner(service, { credit: 0 }), await makePartner(service, { credit: 0 })];
  const [{ partner_id }, other] = [bank, insurer.partner_id];
  const identity = { 'svc_fee.identity': 100_00 };
  await givenPast(service, [
    { ...credit, partner_id, at: time('2026-01-02') },
    { ...credit, partner_id: other, at: time('2026-01-02') },
    chargeOf({ ...charge, partner_id, at: time('2026-01-31'), lookup_id: 'l1', breakdown_kobo: BREAKDOWN }),
    chargeOf({ ...charge, partner_id, at: time('2026-02-01'), lookup_id: 'l2', breakdown_kobo: BREAKDOWN, vat_percent: 7.5 }),
    { kind: 'refund', actor, partner_id, at: time('2026-02-01'), lookup_ids: ['l1'], reason: 'failed' },
    { kind: 'settle', actor, partner_id, at: time('2026-02-01'), lookup_ids: ['l2'] },
    {
      kind: 'pay_out',
      actor,
      partner_id,
      at: time('2026-02-02'),
      ...ALL_SEARCHED,
      amount_kobo: 1_00,
      reference: 'p',
      reason: 'r',
    },
    chargeOf({ ...charge, partner_id: other, at: time('2026-02-28'), lookup_id: 'l3', breakdown_kobo: identity, vat_percent: 7.5 }),
    { kind: 'refund', actor, partner_id: other, at: time('2026-03-01'), lookup_ids: ['l3'], reason: 'failed' },
  ]);
});
afterAll(() => service.stop());

const revenue = async (query: string) => (await admin(service, 'GET', `/ledger/revenue${query}`)).body.data as unknown as Revenue;

describe('the revenue', () => {
  it('counts the charges of a period by section, after what refunds of the period took back', async () => {
    expect(await revenue('?from=2026-02-01&to=2026-02-28')).toStrictEqual({
      mode: 'live',
      from: '2026-02-01',
      to: '2026-02-28',
      as_of_index: expect.any(Number),
      by: ['section'],
      groups: [
        { section: 'farms', lookups: 1, net: -3.49, vat: 3.49, gross: 0, refunds: 50 },
        { section: 'identity', lookups: 2, net: 86.04, vat: 13.96, gross: 100, refunds: 100 },
        { section: 'wallet', lookups: 1, net: 0, vat: 0, gross: 0, refunds: 0 },
      ],
    });
  });

  it('is grouped by partner and month in the order that was asked for, counts each charge once, and dates a refund by itself', async () => {
    const [first, second] = [bank.partner_id, insurer.partner_id];
    const groups = [
      { month: '2026-01', partner: first, lookups: 1, net: 150, vat: 0, gross: 150, refunds: 0 },
      { month: '2026-02', partner: first, lookups: 1, net: -10.47, vat: 10.47, gross: 0, refunds: 150 },
      { month: '2026-02', partner: second, lookups: 1, net: 93.02, vat: 6.98, gross: 100, refunds: 0 },
      { month: '2026-03', partner: second, lookups: 0, net: -93.02, vat: -6.98, gross: -100, refunds: 100 },
    ].toSorted((one, other) => (`${one.month}${one.partner}` < `${other.month}${other.partner}` ? -1 : 1));
    expect((await revenue('?by=month,partner&to=2026-03-31')).groups).toStrictEqual(groups);
  });

  it('has the movements of the accounts of income and VAT, however it is grouped', async () => {
    const sum = (values: readonly number[]): number => Math.round(values.reduce((total, value) => total + value, 0) * 100) / 100;
    for (const period of ['to=2026-01-31', 'from=2026-02-01&to=2026-02-28', 'from=2026-02-15', 'from=2026-03-01'])
      for (const by of ['section', 'partner', 'month', 'day', 'section,partner', 'partner,month,section', 'day,partner']) {
        const { groups } = await revenue(`?by=${by}&${period}`);
        const { accounts } = await balancesOf(service, `?${period}`);
        const moved = (name: string) => sum(accounts.filter(({ account }) => account.startsWith(name)).map((a) => a.credit - a.debit));
        const found = [sum(groups.map(({ net }) => net)), sum(groups.map(({ vat }) => vat))];
        expect([period, by, ...found]).toStrictEqual([period, by, moved('revenue.'), moved('vat_payable')]);
      }
  });

  it('is the same as CSV, and printed by the command', async () => {
    const query = '?by=section&from=2026-02-01&to=2026-02-28';
    const headers = { Authorization: `Bearer ${service.auditorToken}` };
    const response = await whenServed(() => fetch(`${service.url}/admin/v1/ledger/revenue${query}&format=csv`, { headers }));
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="revenue-live-2026-02-28.csv"');
    const rows = ['farms,1,-3.49,3.49,0.00,50.00', 'identity,2,86.04,13.96,100.00,100.00', 'wallet,1,0.00,0.00,0.00,0.00'];
    expect(await response.text()).toBe(['section,lookups,net,vat,gross,refunds', ...rows, ''].join('\r\n'));
    const period = ['ledger', 'revenue', '--from', '2026-02-01', '--to', '2026-02-28'];
    const printed = JSON.parse((await rupa(service, [...period, '--json'])).out) as Revenue;
    expect(withoutIndex(printed)).toStrictEqual(withoutIndex(await revenue(query)));
    expect((await rupa(service, period)).out).toMatch(/identity .* 2 .* 86\.04 .* 13\.96 .* 100\.00 .* 100\.00/);
    expect((await rupa(service, [...period, '--by', 'week'])).code).toBe(2);
  });

  it('is refused for groups, periods and modes that do not exist, and to partners', async () => {
    for (const [query, field] of [
      ['?by=week', 'by'],
      ['?by=section,section', 'by'],
      ['?by=section,', 'by'],
      ['?from=2026-03-01&to=2026-02-01', 'to'],
      ['?mode=all', 'mode'],
    ])
      expect(await admin(service, 'GET', `/ledger/revenue${query}`)).toMatchObject({
        status: 422,
        body: { data: { errors: { [field ?? '']: [expect.any(String)] } } },
      });
    expect((await call(service, 'GET', '/admin/v1/ledger/revenue', { headers: { 'X-API-KEY': bank.key } })).status).toBe(401);
  });
});
