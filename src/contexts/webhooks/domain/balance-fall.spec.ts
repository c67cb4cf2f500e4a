import { describe, expect, it } from '@jest/globals';
import { type WalletEvent } from '../../wallet/domain/events.js';
import { asRecorded } from '../../../platform/event-sourcing/coding/codec.js';
import { recorded } from '../../../../test/support/unit/recorded.js';
import { credited, debited, refunded, reversed } from '../../../../test/support/unit/wallet-events.js';
import { balanceFall, LowBalanceThresholds } from './balance-fall.js';

/** The position that `recorded` gives to the first event. */
const FIRST = 100n;
const at = (event: WalletEvent, balance_after_kobo: number): WalletEvent =>
  ({ ...event, data: { ...event.data, balance_after_kobo } }) as WalletEvent;
/** Returns a lookup of NGN 100 that leaves this balance. */
const spent = (balance_after_kobo: number): WalletEvent => at(debited('l1', 'rp-1'), balance_after_kobo);

function falls(events: readonly WalletEvent[], ...changes: (readonly [position: bigint, threshold_kobo: number | null])[]): number[] {
  const thresholds = new LowBalanceThresholds();
  for (const [position, threshold_kobo] of changes) thresholds.add({ partner_id: 'p1', position, threshold_kobo });
  return recorded(events).flatMap((event) => balanceFall(asRecorded<WalletEvent>(event), thresholds)?.balance_kobo ?? []);
}

describe('a balance', () => {
  it('falls through its threshold once, and again after it was above it', () => {
    const events = [
      spent(600_00),
      spent(500_00),
      spent(400_00),
      spent(300_00),
      at(credited(900_00), 1_200_00),
      spent(1_100_00),
      spent(499_99),
    ];
    expect(falls(events, [1n, 500_00])).toStrictEqual([400_00, 499_99]);
    expect(falls([spent(400_00), at(credited(1_00), 500_00), spent(400_00)], [1n, 500_00])).toStrictEqual([400_00, 400_00]);
  });

  it('does not fall through a threshold that was set above it, until it was above it again', () => {
    expect(falls([spent(300_00), spent(200_00)], [1n, 900_00])).toStrictEqual([]);
    expect(falls([spent(300_00), at(credited(900_00), 1_000_00), spent(899_99)], [1n, 900_00])).toStrictEqual([899_99]);
  });

  it('falls by a reversed credit, too, and never by a refund', () => {
    expect(falls([at(reversed(7_00), 499_00)], [1n, 500_00])).toStrictEqual([499_00]);
    expect(falls([at(refunded('l1', 'rp-1', 1), 100_00)], [1n, 500_00])).toStrictEqual([]);
  });

  it('has the threshold that was in force at the event, whatever order the changes are learned in', () => {
    expect(falls([spent(450_00)], [FIRST + 1n, null], [1n, 500_00], [1n, 500_00])).toStrictEqual([450_00]);
    expect(falls([spent(450_00)], [2n, null], [1n, 500_00])).toStrictEqual([]);
    expect(falls([spent(450_00)], [FIRST, 500_00])).toStrictEqual([]);
    expect(falls([spent(450_00)])).toStrictEqual([]);
  });
});
