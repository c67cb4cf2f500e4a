import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type ChargesSettled, walletStreamOf } from '../domain/events.js';
import { addKeys, NO_KEYS, oldestUse } from '../domain/settled-keys.js';
import { type SearchedKeys } from '../domain/wallet-command.js';
import { shapeFault } from '../domain/wallet-shapes.js';

const PAGE = 500n;
/** Entries that are read at most. A lookup waits for them, once for each wallet in the life of a process. */
const MAX_ENTRIES = 10_000n;
const WALLETS = 10_000;

/**
 * The Idempotency-Keys that a wallet used before the entries in its state (docs/adr/0044). A state is restored from a wallet's last
 * entries, and holds the keys of these and all later ones, so this is read once after a start.
 */
@Injectable()
export class EarlierKeys {
  private readonly searched = new LRUCache<string, SearchedKeys>({ max: WALLETS });
  /** The searches in progress, which concurrent lookups share. */
  private readonly searching = new Map<string, Promise<void>>();

  constructor(private readonly eventStore: EventStore) {}

  of(partnerId: string): SearchedKeys | undefined {
    return this.searched.get(partnerId);
  }

  /** Reads the keys that were used before a revision, as far as they matter at `at` (ISO 8601, UTC). */
  async search(partnerId: string, before: bigint, at: string): Promise<void> {
    await this.searching.get(partnerId);
    if ((this.of(partnerId)?.before ?? 0n) >= before) return;
    const search = this.read(partnerId, before, at).finally(() => this.searching.delete(partnerId));
    this.searching.set(partnerId, search);
    await search;
  }

  private async read(partnerId: string, before: bigint, at: string): Promise<void> {
    const known = this.of(partnerId) ?? { before: 0n, keys: NO_KEYS };
    const oldest = before - known.before > MAX_ENTRIES ? before - MAX_ENTRIES : known.before;
    const settlements: StoredEvent[] = [];
    for (let next = before; next > oldest;) {
      const maxCount = Number(next - oldest < PAGE ? next - oldest : PAGE);
      const page = await this.eventStore.readStream(walletStreamOf(partnerId), { from: next - 1n, backwards: true, maxCount });
      settlements.push(...page.filter(isSettlement));
      const last = page.at(-1);
      if (!last || !(String(last.data.recorded_at) > oldestUse(at))) break;
      next = last.revision;
    }
    const keys = settlements.toReversed().reduce((found, { data }) => {
      const { charges, recorded_at } = data as unknown as ChargesSettled['data'];
      return addKeys(
        found,
        charges.map(({ lookup_id }) => lookup_id),
        recorded_at,
      );
    }, known.keys);
    this.searched.set(partnerId, { before, keys });
  }
}

/** An event that nobody here wrote uses no key. */
function isSettlement({ type, data }: StoredEvent): boolean {
  return type === 'ChargesSettled' && shapeFault(type, data) === undefined;
}
