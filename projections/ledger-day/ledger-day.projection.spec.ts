import { describe, expect, it } from '@jest/globals';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { credited, debited, granted, refunded, settled } from '../../test/support/unit/wallet-events.js';
import { ledgerDayProjection } from './ledger-day.projection.js';

const partner_id = 'p1';
const day = '2026-11-21';
const row = { partner_id, section: '', day, charges: 0 };

describe('the ledger', () => {
  it('sums debits and credits by partner, account and day', () => {
    const events = [
      credited(1_000_00),
      debited('l1', 'rp-1'),
      granted('l1', 'rp-1'),
      settled({ lookup_id: 'l1', debit_revision: 1 }),
      debited('l2', 'rp-2'),
      refunded('l2', 'rp-2', 4),
      debited('l3', 'rp-1', { recorded_at: '2026-11-22T00:00:00.000Z' }),
    ];
    const rows = [
      { ...row, account: 'cash_received', debit_kobo: '100000', credit_kobo: '0' },
      { ...row, account: 'partner_balances', debit_kobo: '20000', credit_kobo: '110000', charges: 2 },
      { ...row, account: 'revenue.identity', debit_kobo: '0', credit_kobo: '20000', charges: 2 },
      { ...row, account: 'refunds', debit_kobo: '10000', credit_kobo: '0' },
      { ...row, account: 'partner_balances', day: '2026-11-22', debit_kobo: '10000', credit_kobo: '0', charges: 1 },
      { ...row, account: 'revenue.identity', day: '2026-11-22', debit_kobo: '0', credit_kobo: '10000', charges: 1 },
    ];
    expect(project(ledgerDayProjection, recorded(events))).toStrictEqual(rows);
    expect(project(ledgerDayProjection, recorded(events), 1)).toStrictEqual(rows);
  });

  it('keeps the wallets of two partners apart, whose modes may differ', () => {
    const one = credited(5);
    const other = { ...one, data: { ...one.data, partner_id: 'p2' } } as typeof one;
    expect(project(ledgerDayProjection, recorded([one, other]))).toMatchObject([
      { partner_id: 'p1', account: 'cash_received', debit_kobo: '5' },
      { partner_id: 'p1', account: 'partner_balances', credit_kobo: '5' },
      { partner_id: 'p2', account: 'cash_received', debit_kobo: '5' },
      { partner_id: 'p2', account: 'partner_balances', credit_kobo: '5' },
    ]);
  });

  it('adds up two fees that belong to the same account', () => {
    const both = debited('l1', 'rp-1');
    const event = { ...both, data: { ...both.data, amount_kobo: 5, breakdown_kobo: { 'svc_fee.farms': 2, farms: 3 } } };
    expect(project(ledgerDayProjection, recorded([event]))).toStrictEqual([
      { ...row, account: 'partner_balances', debit_kobo: '5', credit_kobo: '0', charges: 1 },
      { ...row, account: 'revenue.farms', debit_kobo: '0', credit_kobo: '5', charges: 1 },
    ]);
  });

  it('keeps the VAT of each section, and counts each charge once for its wallet and for each of its sections', () => {
    const breakdown_kobo = { 'svc_fee.identity': 50_00, 'svc_fee.farms': 50_00, 'svc_fee.wallet': 0, 'passthrough.bvn': 0 };
    expect(project(ledgerDayProjection, recorded([debited('l1', 'rp-1', { breakdown_kobo, vat_percent: 7.5 })]))).toStrictEqual([
      { ...row, account: 'partner_balances', debit_kobo: '10000', credit_kobo: '0', charges: 1 },
      { ...row, account: 'revenue.identity', debit_kobo: '0', credit_kobo: '4651', charges: 1 },
      { ...row, account: 'revenue.farms', debit_kobo: '0', credit_kobo: '4651', charges: 1 },
      { ...row, account: 'revenue.wallet', debit_kobo: '0', credit_kobo: '0', charges: 1 },
      { ...row, account: 'vat_payable', section: 'identity', debit_kobo: '0', credit_kobo: '349', charges: 1 },
      { ...row, account: 'vat_payable', section: 'farms', debit_kobo: '0', credit_kobo: '349', charges: 1 },
    ]);
  });

  it('is exact for sums beyond the safe integers of JavaScript', () => {
    const rows = project(
      ledgerDayProjection,
      recorded([credited(Number.MAX_SAFE_INTEGER), credited(Number.MAX_SAFE_INTEGER), credited(1)]),
    );
    expect(rows[0]).toMatchObject({ partner_id, account: 'cash_received', debit_kobo: '18014398509481983' });
  });
});
