import { describe, expect, it } from '@jest/globals';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { credited, debited, granted, refunded, settled } from '../../test/support/unit/wallet-events.js';
import { ledgerDayProjection } from './ledger-day.projection.js';

const day = '2026-11-21';

describe('the ledger', () => {
  it('sums debits and credits by account and day', () => {
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
      { account: 'cash_received', day, debit_kobo: '100000', credit_kobo: '0' },
      { account: 'partner_prepaid:p1', day, debit_kobo: '20000', credit_kobo: '110000' },
      { account: 'lookup_revenue:identity', day, debit_kobo: '0', credit_kobo: '20000' },
      { account: 'refunds', day, debit_kobo: '10000', credit_kobo: '0' },
      { account: 'partner_prepaid:p1', day: '2026-11-22', debit_kobo: '10000', credit_kobo: '0' },
      { account: 'lookup_revenue:identity', day: '2026-11-22', debit_kobo: '0', credit_kobo: '10000' },
    ];
    expect(project(ledgerDayProjection, recorded(events))).toStrictEqual(rows);
    expect(project(ledgerDayProjection, recorded(events), 1)).toStrictEqual(rows);
  });

  it('adds up two fees that belong to the same account', () => {
    const both = debited('l1', 'rp-1');
    const event = { ...both, data: { ...both.data, amount_kobo: 5, breakdown_kobo: { 'svc_fee.farms': 2, farms: 3 } } };
    expect(project(ledgerDayProjection, recorded([event]))).toStrictEqual([
      { account: 'partner_prepaid:p1', day, debit_kobo: '5', credit_kobo: '0' },
      { account: 'lookup_revenue:farms', day, debit_kobo: '0', credit_kobo: '5' },
    ]);
  });

  it('is exact for sums beyond the safe integers of JavaScript', () => {
    const rows = project(
      ledgerDayProjection,
      recorded([credited(Number.MAX_SAFE_INTEGER), credited(Number.MAX_SAFE_INTEGER), credited(1)]),
    );
    expect(rows[0]).toMatchObject({ account: 'cash_received', debit_kobo: '18014398509481983' });
  });
});
