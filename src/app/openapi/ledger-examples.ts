import { partnerId } from './examples.js';

export const trialBalanceExample = {
  at: '2026-03-31',
  accounts: [
    { account: 'cash_received', debit: 50000, credit: 0, balance: 50000 },
    { account: 'lookup_revenue:identity', debit: 0, credit: 50, balance: -50 },
    { account: 'lookup_revenue:outstanding_loans', debit: 0, credit: 80, balance: -80 },
    { account: `partner_prepaid:${partnerId}`, debit: 130, credit: 50000, balance: -49870 },
  ],
  total_debit: 50130,
  total_credit: 50130,
  difference: 0,
  balanced: true,
};

const refund = {
  revision: 21,
  recorded_at: '2026-03-09T14:31:00.000Z',
  amount: 110,
  reason: 'the look-up was never answered',
  lookup_id: '7f1d5b52-3c7e-4d2b-9f27-1f4bb7a6a0c3',
  rupa_id: 'rp-spvyqbds',
};

export const statementExample = {
  partner_id: partnerId,
  company_name: 'Savannah Demo Bank',
  mode: 'live',
  month: '2026-03',
  from: '2026-03-01T00:00:00.000Z',
  until: '2026-04-01T00:00:00.000Z',
  complete: true,
  currency: 'NGN',
  opening_balance: 98700,
  credits: {
    total: 50000,
    items: [{ revision: 18, recorded_at: '2026-03-02T09:00:00.000Z', amount: 50000, reason: null, reference: 'transfer-2' }],
  },
  lookups: { total: 100, count: 2, sections: [{ section: 'identity', count: 2, amount: 100 }] },
  pass_through: { total: 60, providers: [{ provider: 'bvn', count: 1, amount: 60 }] },
  refunds: { total: 110, items: [refund] },
  closing_balance: 148650,
};

export const statementCsvExample = [
  'line,recorded_at,item,count,amount,reference,reason,lookup_id,rupa_id',
  'opening_balance,2026-03-01T00:00:00.000Z,,,98700.00,,,,',
  'credit,2026-03-02T09:00:00.000Z,,1,50000.00,transfer-2,,,',
  'lookup_section,,identity,2,-100.00,,,,',
  'pass_through,,bvn,1,-60.00,,,,',
  `refund,${refund.recorded_at},,1,110.00,,${refund.reason},${refund.lookup_id},${refund.rupa_id}`,
  'closing_balance,2026-04-01T00:00:00.000Z,,,148650.00,,,,',
  '',
].join('\r\n');
