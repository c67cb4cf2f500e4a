import { describe, expect, it } from '@jest/globals';
import { debited, settled } from '../../../test/support/unit/wallet-events.js';
import { type WalletEvent } from './domain/events.js';
import { RecentCharges } from './recent-charges.js';

const STREAM = 'wallet-p1';

function at(first: bigint, ...events: readonly WalletEvent[]): (WalletEvent & { revision: bigint })[] {
  return events.map((event, index) => ({ ...event, revision: first + BigInt(index) }));
}

function watching(revision: bigint): RecentCharges {
  const recent = new RecentCharges();
  recent.watch(STREAM, revision);
  return recent;
}

describe('the recent charges of a wallet', () => {
  it('contain a charge after it was settled', () => {
    const recent = watching(9n);
    recent.advanced(STREAM, at(10n, debited('l1', 'rp-1'), settled({ lookup_id: 'l1', debit_revision: 10 })));
    expect(recent.isCharged(STREAM, 'l1', 9n, 11n)).toBe(true);
    expect(recent.isCharged(STREAM, 'l2', 9n, 11n)).toBe(false);
  });

  it('are unknown from before the wallet was watched, and beyond the last entry', () => {
    const recent = watching(9n);
    recent.advanced(STREAM, at(10n, debited('l1', 'rp-1')));
    expect(recent.isCharged(STREAM, 'l2', 8n, 10n)).toBeUndefined();
    expect(recent.isCharged(STREAM, 'l2', 9n, 11n)).toBeUndefined();
    expect(recent.isCharged('wallet-p2', 'l2', 9n, 10n)).toBeUndefined();
  });

  it('begin again after a gap', () => {
    const recent = watching(9n);
    recent.advanced(STREAM, at(10n, debited('l1', 'rp-1')));
    recent.advanced(STREAM, at(12n, debited('l2', 'rp-1')));
    expect(recent.isCharged(STREAM, 'l1', 10n, 12n)).toBeUndefined();
    expect(recent.isCharged(STREAM, 'l2', 11n, 12n)).toBe(true);
  });

  it('stay known when entries are read again', () => {
    const recent = watching(9n);
    recent.advanced(STREAM, at(10n, debited('l1', 'rp-1'), debited('l2', 'rp-1')));
    recent.advanced(STREAM, at(10n, debited('l1', 'rp-1')));
    expect(recent.isCharged(STREAM, 'l1', 9n, 11n)).toBe(true);
    recent.advanced(STREAM, at(11n, debited('l2', 'rp-1'), debited('l3', 'rp-1')));
    expect(recent.isCharged(STREAM, 'l1', 9n, 12n)).toBe(true);
    expect(recent.isCharged(STREAM, 'l3', 9n, 12n)).toBe(true);
  });

  it('are bounded: the oldest are forgotten, and are then unknown', () => {
    const recent = watching(-1n);
    for (let revision = 0n; revision < 5_001n; revision += 1n) recent.advanced(STREAM, at(revision, debited(`l${revision}`, 'rp-1')));
    expect(recent.isCharged(STREAM, 'l0', -1n, 5_000n)).toBeUndefined();
    expect(recent.isCharged(STREAM, 'l1', 0n, 5_000n)).toBe(true);
  });
});
