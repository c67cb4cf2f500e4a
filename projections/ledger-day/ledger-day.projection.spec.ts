import { describe, expect, it } from '@jest/globals';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { credited, debited, granted, refunded, settled } from '../../test/support/unit/wallet-events.js';
import { ledgerDayProjection } from './ledger-day.projection.js';

const partner_id = 'p1';
const day = '2026-11-21';

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
      { partner_id, account: 'cash_received', day, debit_kobo: '100000', credit_kobo: '0' },
      { partner_id, account: 'partner_balances', day, debit_kobo: '20000', credit_kobo: '110000' },
      { partner_id, account: 'revenue.identity', day, debit_kobo: '0', credit_kobo: '20000' },
      { partner_id, account: 'refunds', day, debit_kobo: '10000', credit_kobo: '0' },
      { partner_id, account: 'partner_balances', day: '2026-11-22', debit_kobo: '10000', credit_kobo: '0' },
      { partner_id, account: 'revenue.identity', day: '2026-11-22', debit_kobo: '0', credit_kobo: '10000' },
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
      { partner_id, account: 'partner_balances', day, debit_kobo: '5', credit_kobo: '0' },
      { partner_id, account: 'revenue.farms', day, debit_kobo: '0', credit_kobo: '5' },
    ]);
  });

  it('adds up the VAT of all lines of an event', () => {
    const breakdown_kobo = { 'svc_fee.identity': 50_00, 'svc_fee.farms': 50_00 };
    expect(project(ledgerDayProjection, recorded([debited('l1', 'rp-1', { breakdown_kobo, vat_percent: 7.5 })]))).toStrictEqual([
      { partner_id, account: 'partner_balances', day, debit_kobo: '10000', credit_kobo: '0' },
      { partner_id, account: 'revenue.identity', day, debit_kobo: '0', credit_kobo: '4651' },
      { partner_id, account: 'vat_payable', day, debit_kobo: '0', credit_kobo: '698' },
      { partner_id, account: 'revenue.farms', day, debit_kobo: '0', credit_kobo: '4651' },
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
