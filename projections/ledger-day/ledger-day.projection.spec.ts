import { describe, expect, it } from '@jest/globals';
import { project, recorded } from '../../test/support/unit/recorded.js';
import { credited, debited, granted, refunded, settled } from '../../test/support/unit/wallet-events.js';
import { storedDebit } from '../../src/contexts/wallet/domain/stored-debit.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { ledgerDayProjection, type LedgerDayRow } from './ledger-day.projection.js';

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

  it('has the totals of before, to the kobo, for a log that a release without VAT recorded', () => {
    const entry = { partner_id, recorded_at: `${day}T10:00:00.000Z`, actor: 'api', balance_after_kobo: 0, open_from_revision: null };
    const lookup = { rupa_id: 'rp-1', source: 'loan' };
    const inFull = { ...entry, lookup_id: 'l1', ...lookup, key_id: 'k1', price_book_version: 1 };
    const short = { recorded_at: entry.recorded_at, actor: 'key:k1', balance_after_kobo: 0, open_from_revision: null };
    const fees = { fees: [0, 50_01, 1, 50_03, 2, 60_00, 3, 60_00], price_book_version: 1 };
    const debit = (lookup_id: string) => storedDebit.expand({ ...short, lookup_id, ...lookup, ...fees }, `wallet-${partner_id}`);
    const { breakdown_kobo } = debit('l2');
    const given = { ...entry, ...lookup, amount_kobo: 220_04, breakdown_kobo, reason: 'failed' };
    const log = [
      { type: 'WalletCredited', data: { ...entry, amount_kobo: 1_000_00, reference: 'r1' } },
      { type: 'WalletDebited', data: { ...inFull, amount_kobo: 80_07, breakdown_kobo: { 'svc_fee.farms': 80_07 } } },
      { type: 'RefundIssued', data: { ...entry, lookup_id: 'l1', ...lookup, debit_revision: 1, amount_kobo: 80_07, reason: 'failed' } },
      { type: 'WalletDebited', data: debit('l2') },
      { type: 'RefundIssued', data: { ...given, lookup_id: 'l2', debit_revision: 3 } },
      { type: 'WalletDebited', data: debit('l3') },
      { type: 'ChargesSettled', data: { ...entry, charges: [{ lookup_id: 'l3', debit_revision: 5 }] } },
      { type: 'LookupCompensated', data: { ...given, lookup_id: 'l3', debit_revision: 5 } },
      { type: 'WalletDebited', data: debit('l4') },
    ];
    const totals = project(ledgerDayProjection, recorded(log as unknown as WalletEvent[])).map((row) => {
      const { account, debit_kobo, credit_kobo } = row as LedgerDayRow;
      return [account, Number(debit_kobo), Number(credit_kobo)];
    });
    expect(totals.sort()).toStrictEqual([
      ['cash_received', 1_000_00, 0],
      ['partner_balances', 740_19, 1_520_15],
      ['passthrough_payable.bvn', 120_00, 180_00],
      ['passthrough_payable.nin', 120_00, 180_00],
      ['refunds', 80_07, 0],
      ['revenue.bvn_nin_data', 100_06, 150_09],
      ['revenue.farms', 0, 80_07],
      ['revenue.identity', 100_02, 150_03],
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
