import { ISSUER } from './application.js';
import { chargeOf } from './unit/charge-of.js';
import { ALL_SEARCHED } from './unit/searched-entries.js';

/**
 * Returns a wallet's past commands: a credit in the last moment of January, charges, a refund and a credit in February, nothing in March.
 */
export function pastOf(partner_id: string, lookups: readonly [string, string] = ['l1', 'l2'], vat_percent = 0) {
  const [first, second] = lookups;
  const by = (at: string) => ({ partner_id, at, actor: 'test' });
  const charge = {
    rupa_id: 'rp-statement-1',
    source: 's',
    price_book_version: 1,
    vat_percent,
    key_id: 'k',
    grants_consent: true,
  };
  const identity = { 'svc_fee.identity': 50_00, 'svc_fee.bvn_nin_data': 50_00, 'passthrough.bvn': 60_00, 'passthrough.nin': 60_00 };
  return [
    {
      ...by('2026-01-31T23:59:59.999Z'),
      kind: 'credit' as const,
      amount_kobo: 1_000_00,
      reference: 'opening',
      ...ALL_SEARCHED,
    },
    chargeOf({ ...by('2026-02-01T00:00:00.000Z'), ...charge, lookup_id: first, breakdown_kobo: identity }),
    chargeOf({ ...by('2026-02-14T12:00:00.000Z'), ...charge, lookup_id: second, breakdown_kobo: { 'svc_fee.identity': 50_25 } }),
    { ...by('2026-02-14T12:00:01.000Z'), kind: 'settle' as const, lookup_ids: [first] },
    { ...by('2026-02-14T12:00:02.000Z'), kind: 'refund' as const, lookup_ids: [second], reason: 'no "answer", sorry' },
    {
      ...by('2026-02-28T23:59:59.999Z'),
      kind: 'credit' as const,
      amount_kobo: 25_00,
      reference: '=1+1',
      reason: '<i>goodwill</i>',
      ...ALL_SEARCHED,
    },
  ];
}

const untaxed = (of: { readonly section?: string; readonly provider?: string }, label: string, unit_price: number, quantity = 1) => ({
  section: null,
  provider: null,
  ...of,
  label,
  quantity,
  unit_price,
  vat_percent: 0,
  net: quantity * unit_price,
  vat: 0,
  amount: quantity * unit_price,
});

/** The statement of February as JSON, while the month is open; without what differs from one partner, or one copy, to the next. */
export const FEBRUARY = {
  statement_number: null,
  is_tax_invoice: false,
  period: { status: 'open', from: '2026-02-01', to: '2026-02-28' },
  issuer: { name: ISSUER.ISSUER_NAME, address: ISSUER.ISSUER_ADDRESS, tax_id: ISSUER.ISSUER_TAX_ID },
  mode: 'live',
  month: '2026-02',
  from: '2026-02-01T00:00:00.000Z',
  until: '2026-03-01T00:00:00.000Z',
  complete: false,
  currency: 'NGN',
  opening_balance: 1_000,
  lines: [
    untaxed({ section: 'bvn_nin_data' }, 'BVN and NIN data', 50),
    untaxed({ section: 'identity' }, 'Identity', 50),
    untaxed({ section: 'identity' }, 'Identity', 50.25),
    untaxed({ section: 'identity' }, 'Refund: Identity', 50.25, -1),
    untaxed({ provider: 'bvn' }, 'BVN, passed through', 60),
    untaxed({ provider: 'nin' }, 'NIN, passed through', 60),
  ],
  vat: [{ vat_percent: 0, net: 220, vat: 0, gross: 220 }],
  credits: {
    total: 25,
    items: [
      {
        revision: 7,
        recorded_at: '2026-02-28T23:59:59.999Z',
        kind: 'payment',
        reference: '=1+1',
        credit_reference: null,
        reason: '<i>goodwill</i>',
        amount: 25,
        bank_fee: 0,
        withheld_tax: 0,
      },
    ],
  },
  lookups: {
    total: 150.25,
    count: 2,
    sections: [
      { section: 'bvn_nin_data', count: 1, amount: 50 },
      { section: 'identity', count: 2, amount: 100.25 },
    ],
  },
  pass_through: {
    total: 120,
    providers: [
      { provider: 'bvn', count: 1, amount: 60 },
      { provider: 'nin', count: 1, amount: 60 },
    ],
  },
  refunds: {
    total: 50.25,
    items: [
      {
        revision: 6,
        recorded_at: '2026-02-14T12:00:02.000Z',
        lookup_id: 'l2',
        rupa_id: 'rp-statement-1',
        reason: 'no "answer", sorry',
        amount: 50.25,
      },
    ],
  },
  closing_balance: 805,
};

/** The facts of a statement that differ from one partner, and one copy, to the next. */
export interface Made {
  readonly customer: { readonly number: number; readonly company_name: string };
  readonly opening_head: { readonly hash: string };
  readonly closing_head: { readonly hash: string };
}

/** Returns a statement as CSV with MADE for the time at which the copy was made, and INDEX for the event of the log up to which it was read. */
export function withoutCopy(csv: string): string {
  return csv.replace(/^statement,[^,]+/m, 'statement,MADE').replace(/^as_of_index,,\d+/m, 'as_of_index,,INDEX');
}

/** Returns the statement of February, which is open, as CSV like {@link withoutCopy}. */
export function februaryCsv({ customer, opening_head, closing_head }: Made): string {
  const fact = (name: string, item: string): string => `${name},,${item}${','.repeat(17)}`;
  return [
    'line,recorded_at,item,count,amount,reference,reason,lookup_id,rupa_id,revision,hash,credit_reference,label,unit_price,vat_percent,net,vat,gross,bank_fee,withheld_tax',
    `statement,MADE${','.repeat(18)}`,
    fact('heading', 'statement'),
    fact('period', 'open'),
    fact('as_of_index', 'INDEX'),
    fact('mode', 'live'),
    fact('issuer_name', 'Rupa <Data> Ltd'),
    fact('issuer_address', '"1 Marina, Lagos"'),
    fact('issuer_tax_id', '12345678-0001'),
    fact('customer_number', String(customer.number)),
    fact('company_name', customer.company_name),
    `opening_balance,2026-02-01T00:00:00.000Z,,,1000.00,,,,,0,${opening_head.hash},,,,,,,,,`,
    "credit,2026-02-28T23:59:59.999Z,payment,1,25.00,'=1+1,<i>goodwill</i>,,,7,,,,,,,,,0.00,0.00",
    'lookup_section,,bvn_nin_data,1,-50.00,,,,,,,,BVN and NIN data,50.00,0,50.00,0.00,50.00,,',
    'lookup_section,,identity,1,-50.00,,,,,,,,Identity,50.00,0,50.00,0.00,50.00,,',
    'lookup_section,,identity,1,-50.25,,,,,,,,Identity,50.25,0,50.25,0.00,50.25,,',
    'lookup_section,,identity,-1,50.25,,,,,,,,Refund: Identity,50.25,0,-50.25,0.00,-50.25,,',
    'pass_through,,bvn,1,-60.00,,,,,,,,"BVN, passed through",60.00,0,60.00,0.00,60.00,,',
    'pass_through,,nin,1,-60.00,,,,,,,,"NIN, passed through",60.00,0,60.00,0.00,60.00,,',
    'vat,,,,,,,,,,,,,,0,220.00,0.00,220.00,,',
    'refund,2026-02-14T12:00:02.000Z,,1,,,"no ""answer"", sorry",l2,rp-statement-1,6,,,,,,,,-50.25,,',
    `closing_balance,2026-03-01T00:00:00.000Z,,,805.00,,,,,7,${closing_head.hash},,,,,,,,,`,
    '',
  ].join('\r\n');
}
