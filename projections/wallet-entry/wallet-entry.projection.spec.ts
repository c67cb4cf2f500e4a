import { describe, expect, it } from '@jest/globals';
import { project, recorded } from '../../test/support/unit/recorded.js';
import {
  at,
  compensated,
  credited,
  debited,
  granted,
  paidOut,
  refunded,
  reversed,
  settled,
} from '../../test/support/unit/wallet-events.js';
import { breakdownOf, type FeesOfEntry } from './fees-of-entry.js';
import { walletEntryProjection } from './wallet-entry.projection.js';

const noDetails = {
  lookup_id: null,
  request_id: null,
  vat_percent: null,
  rupa_id: null,
  source: null,
  breakdown_kobo: null,
  fees: null,
  price_book_version: null,
  reason: null,
  actor: null,
  reference: null,
  kind: null,
  credit_reference: null,
  bank_fee_kobo: null,
  withheld_tax_kobo: null,
};
const row = { ...noDetails, partner_id: 'p1', recorded_at: at, balance_after_kobo: 900_00 };

describe('the wallet entries', () => {
  it('show every event with the change of the balance', () => {
    const events = [
      credited(1_000_00),
      debited('l1', 'rp-1'),
      granted('l1', 'rp-1'),
      settled({ lookup_id: 'l1', debit_revision: 1 }),
      refunded('l2', 'rp-2', 9),
      reversed(7_00),
      compensated('l1', 'rp-1', 1),
    ];
    expect(project(walletEntryProjection, recorded(events))).toStrictEqual([
      {
        ...row,
        revision: 0,
        position: '100',
        type: 'WalletCredited',
        amount_kobo: 1_000_00,
        balance_after_kobo: 1_000_00,
        reference: 'r1',
        actor: 'service',
        kind: 'payment',
        hash: 'hash-0',
      },
      {
        ...row,
        revision: 1,
        position: '200',
        type: 'WalletDebited',
        amount_kobo: -100_00,
        lookup_id: 'l1',
        request_id: 'c',
        rupa_id: 'rp-1',
        source: 'loan',
        breakdown_kobo: { 'svc_fee.identity': 100_00 },
        price_book_version: 1,
        hash: 'hash-1',
      },
      { ...row, revision: 2, position: '300', type: 'ConsentGranted', amount_kobo: 0, lookup_id: 'l1', rupa_id: 'rp-1', hash: 'hash-2' },
      { ...row, revision: 3, position: '400', type: 'ChargesSettled', amount_kobo: 0, hash: 'hash-3' },
      {
        ...row,
        revision: 4,
        position: '500',
        type: 'RefundIssued',
        amount_kobo: 100_00,
        lookup_id: 'l2',
        rupa_id: 'rp-2',
        reason: 'failed',
        hash: 'hash-4',
      },
      {
        ...row,
        revision: 5,
        position: '600',
        type: 'CreditReversed',
        amount_kobo: -7_00,
        reference: 'v1',
        reason: 'a wrong credit',
        actor: 'service',
        kind: 'payment',
        credit_reference: 'r1',
        hash: 'hash-5',
      },
      {
        ...row,
        revision: 6,
        position: '700',
        type: 'LookupCompensated',
        amount_kobo: 100_00,
        lookup_id: 'l1',
        rupa_id: 'rp-1',
        breakdown_kobo: { 'svc_fee.identity': 100_00 },
        reason: 'a complaint',
        actor: 'service',
        hash: 'hash-6',
      },
    ]);
  });

  it('show the fees of a refund that was recorded with them', () => {
    const breakdown_kobo = { 'svc_fee.farms': 100_00 };
    expect(project(walletEntryProjection, recorded([refunded('l1', 'rp-1', 1, { breakdown_kobo })]))).toMatchObject([{ breakdown_kobo }]);
  });

  it('keep the fees of a debit in the form in which the debit is stored', () => {
    const [debit] = recorded([debited('l1', 'rp-1')]);
    if (!debit) throw new Error('no event');
    const [row] = project(walletEntryProjection, [{ ...debit, metadata: { ...debit.metadata, schema_version: 2 } }]);
    expect(row).toMatchObject({ breakdown_kobo: null, fees: [0, 100_00] });
    expect(breakdownOf(row as FeesOfEntry)).toStrictEqual({ 'svc_fee.identity': 100_00 });
  });

  it('keep the breakdown of a debit with a fee that has no number', () => {
    const breakdown_kobo = { 'svc_fee.identity': 60_00, tip: 40_00 };
    const [debit] = recorded([debited('l1', 'rp-1', { breakdown_kobo })]);
    if (!debit) throw new Error('no event');
    const [row] = project(walletEntryProjection, [{ ...debit, metadata: { ...debit.metadata, schema_version: 2 } }]);
    expect(row).toMatchObject({ breakdown_kobo, fees: null });
    expect(breakdownOf(row as FeesOfEntry)).toStrictEqual(breakdown_kobo);
  });

  it('show the reason of a credit, or null for events from before credits had one', () => {
    const events = [credited(1_00), credited(2_00, 'r2', { reason: 'goodwill' }), credited(3_00, 'r3', { reason: null })];
    expect(project(walletEntryProjection, recorded(events))).toMatchObject([{ reason: null }, { reason: 'goodwill' }, { reason: null }]);
  });

  it('show the rate of VAT of a charge, and of its refund and compensation', () => {
    const charge = { breakdown_kobo: { 'svc_fee.identity': 100_00 }, vat_percent: 7.5 };
    const events = [debited('l1', 'rp-1', charge), refunded('l1', 'rp-1', 0, charge), compensated('l1', 'rp-1', 0, charge)];
    expect(project(walletEntryProjection, recorded([...events, debited('l2', 'rp-1')]))).toMatchObject(
      [7.5, 7.5, 7.5, null].map((vat_percent) => ({ vat_percent })),
    );
  });

  it('show a payout, and the bank fee and the withheld tax of a payment and of its reversal', () => {
    const deducted = { bank_fee_kobo: 50, withheld_tax_kobo: 100 };
    const events = [credited(1_000, 'r1', deducted), reversed(900, 'r1', deducted), paidOut(40)];
    expect(project(walletEntryProjection, recorded(events))).toMatchObject([
      { kind: 'payment', amount_kobo: 1_000, ...deducted },
      { kind: 'payment', amount_kobo: -900, ...deducted },
      { type: 'WalletPaidOut', kind: 'payout', amount_kobo: -40, reference: 'p1', bank_fee_kobo: null, withheld_tax_kobo: null },
    ]);
  });
});
