import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { booksKept } from '../support/books-kept.js';
import { compensated, credited, debited, paidOut, refunded, reversed } from '../support/unit/wallet-events.js';
import { runWallet, walletCommands } from '../support/unit/wallet-history.js';

/** Sets the balance after each event, so that only the double entry can be at fault. */
function inOrder(...events: readonly WalletEvent[]): WalletEvent[] {
  let balance = 0;
  return events.map((event) => {
    const { type, data } = event;
    if (type === 'WalletDebited' || type === 'CreditReversed' || type === 'WalletPaidOut') balance -= data.amount_kobo;
    else if (type !== 'ChargesSettled' && type !== 'ConsentGranted') balance += data.amount_kobo;
    return { ...event, data: { ...data, balance_after_kobo: balance } } as WalletEvent;
  });
}

describe('the books of a wallet', () => {
  it('are kept by every history', () => {
    fc.assert(
      fc.property(walletCommands(), (commands) => {
        expect(booksKept(runWallet(commands).events)).toStrictEqual([]);
      }),
    );
  });

  it('are kept by credits of every kind, reversals, payouts, refunds and compensations', () => {
    const breakdown_kobo = { 'svc_fee.identity': 100_00 };
    const events = inOrder(
      credited(500_00),
      credited(7, 'g', { kind: 'goodwill' }),
      debited('l1', 'rp-1'),
      debited('l2', 'rp-1'),
      refunded('l1', 'rp-1', 2, { breakdown_kobo }),
      compensated('l2', 'rp-1', 3),
      reversed(500_00),
      reversed(7, 'g', { kind: 'goodwill' }),
      paidOut(1),
    );
    expect(booksKept(events)).toStrictEqual([]);
  });

  it('are kept by charges with VAT, whose rate changes before they are given back', () => {
    const [low, high] = [7.5, 10].map((vat_percent) => ({ breakdown_kobo: { 'svc_fee.identity': 100_00 }, vat_percent }));
    const events = inOrder(
      credited(500_00),
      debited('l1', 'rp-1', low),
      debited('l2', 'rp-1', high),
      refunded('l1', 'rp-1', 1, low),
      compensated('l2', 'rp-1', 2, high),
    );
    expect(booksKept(events)).toStrictEqual([]);
  });

  it.each<[string, WalletEvent[]]>([
    ['a reversal is posted to another kind than its credit', [credited(5, 'g', { kind: 'goodwill' }), reversed(5, 'g')]],
    ['more of a credit is taken back than was credited', [credited(5), credited(9, 'g', { kind: 'goodwill' }), reversed(6)]],
    ['a lookup is compensated twice', [credited(100_00), debited('l', 'r'), compensated('l', 'r', 1), compensated('l', 'r', 1)]],
    [
      'a refund has other fees than its charge',
      [credited(100_00), debited('l', 'r'), refunded('l', 'r', 1, { breakdown_kobo: { 'passthrough.bvn': 100_00 } })],
    ],
    [
      'a refund takes back more VAT than its charge has',
      [credited(100_00), debited('l', 'r'), refunded('l', 'r', 1, { breakdown_kobo: { 'svc_fee.identity': 100_00 }, vat_percent: 7.5 })],
    ],
    ['the fees of a refund do not sum to it', [credited(100_00), debited('l', 'r'), refunded('l', 'r', 1, { breakdown_kobo: {} })]],
  ])('are not kept if %s', (_what, events) => {
    expect(booksKept(inOrder(...events))).not.toStrictEqual([]);
  });

  it('are not kept if the wallet’s balance is another', () => {
    const [credit] = inOrder(credited(5));
    expect(booksKept([{ ...credit, data: { ...credit?.data, balance_after_kobo: 6 } } as WalletEvent])).toStrictEqual([
      "After revision 0 (WalletCredited), the partner's account holds 5 kobo.",
    ]);
  });
});
