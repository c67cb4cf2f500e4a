import { LRUCache } from 'lru-cache';
import { type StreamObserver } from '../../platform/event-sourcing/stream-observer.js';
import { type WalletEvent } from './domain/events.js';

/** Charges that are remembered of each wallet: those of some seconds on a wallet with thousands of lookups a second. */
const MAX_CHARGES = 5_000;
const MAX_WALLETS = 1_000;

/** The lookups charged by all entries from `from` to `to`, both included. */
interface Recent {
  from: bigint;
  to: bigint;
  readonly charges: Map<string, bigint>;
}

/**
 * Remembers which lookups were recently charged to the wallets that several APIs write. A charge that is executed for the second time, here
 * after the API that was sent it, or there after this one has made it itself, is recognized by it, also if that charge is closed by now. No
 * clock takes part.
 */
export class RecentCharges implements Pick<StreamObserver<WalletEvent>, 'advanced'> {
  private readonly wallets = new LRUCache<string, Recent>({ max: MAX_WALLETS });

  /** Begins to remember a wallet. @param revision of an entry in the log, or -1 */
  watch(stream: string, revision: bigint): void {
    this.wallets.set(stream, { from: revision + 1n, to: revision, charges: new Map() });
  }

  /** Returns the newest revision that is remembered; undefined for a wallet that is not watched. */
  revision(stream: string): bigint | undefined {
    return this.wallets.get(stream)?.to;
  }

  advanced(stream: string, events: readonly (WalletEvent & { readonly revision: bigint })[]): void {
    const recent = this.wallets.get(stream);
    const first = events[0]?.revision;
    const last = events.at(-1)?.revision;
    // A state that is folded again begins with entries that are known.
    if (!recent || first === undefined || last === undefined || last <= recent.to) return;
    if (first > recent.to + 1n) {
      recent.charges.clear();
      recent.from = first;
    }
    for (const { type, data, revision } of events) if (type === 'WalletDebited') recent.charges.set(data.lookup_id, revision);
    recent.to = last;
    for (const [lookupId, revision] of recent.charges) {
      if (recent.charges.size <= MAX_CHARGES) break;
      recent.charges.delete(lookupId);
      recent.from = revision + 1n;
    }
  }

  /** Returns whether a lookup was charged after `known` and up to `head`; undefined if not all entries between them are remembered. */
  isCharged(stream: string, lookupId: string, known: bigint, head: bigint): boolean | undefined {
    const recent = this.wallets.get(stream);
    if (!recent || recent.from > known + 1n || recent.to < head) return undefined;
    return recent.charges.has(lookupId);
  }
}
