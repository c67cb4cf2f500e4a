import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Clock } from '../../../kernel/clock.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { type ChargesSettled, walletStreamOf } from '../domain/events.js';
import { addKeys, NO_KEYS, oldestUse, type SettledKeys } from '../domain/settled-keys.js';
import { type SearchedKeys } from '../domain/wallet-command.js';
import { shapeFault } from '../domain/wallet-shapes.js';

const PAGE = 500n;
/** Pages that a lookup waits for, once for each wallet in the life of a process. The rest of the day is read behind. */
const PAGES_WAITED_FOR = 20;
/** Reading behind pauses for so many times as long as a page takes, because requests need the same thread. */
const PAUSES_A_PAGE = 4;
const WALLETS = 10_000;

/** A part of a wallet that is yet to be read, backwards. */
interface Unread {
  readonly partnerId: string;
  /** Revision after the newest unread entry. */
  readonly before: bigint;
  /** Revision of the oldest entry that may have to be read. */
  readonly from: bigint;
  /** Entries from before this time (ISO 8601, UTC) do not matter. */
  readonly since: string;
}

interface Page {
  /** The settlements of the page, newest first. */
  readonly settlements: readonly StoredEvent[];
  /** The part that is left to read; undefined at the end. */
  readonly unread: Unread | undefined;
}

/**
 * The Idempotency-Keys that a wallet used before the entries in its state (docs/adr/0044). A state is restored from a wallet's last
 * entries, and holds the keys of these and all later ones, so this is read once after a start.
 */
@Injectable()
export class EarlierKeys implements OnApplicationShutdown {
  private readonly searched = new LRUCache<string, SearchedKeys>({ max: WALLETS });
  /** The searches in progress, which concurrent lookups share. */
  private readonly searching = new Map<string, Promise<void>>();
  /** Ends with the last of the wallets that are read behind, one after the other. */
  private behind = Promise.resolve();
  private readonly stopping = new AbortController();

  constructor(
    private readonly eventStore: EventStore,
    private readonly clock: Clock,
  ) {}

  of(partnerId: string): SearchedKeys | undefined {
    return this.searched.get(partnerId);
  }

  /**
   * Reads the keys that were used before a revision, as far as they matter at `at` (ISO 8601, UTC). Of a wallet with more than 10,000 entries a
   * day, the older ones follow within seconds or minutes.
   */
  async search(partnerId: string, before: bigint, at: string): Promise<void> {
    await this.searching.get(partnerId);
    const from = this.of(partnerId)?.before ?? 0n;
    if (from >= before) return;
    const search = this.read({ partnerId, before, from, since: oldestUse(at) }).finally(() => this.searching.delete(partnerId));
    this.searching.set(partnerId, search);
    await search;
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.behind;
  }

  private async read(day: Unread): Promise<void> {
    const { partnerId, before } = day;
    let keys = this.of(partnerId)?.keys ?? NO_KEYS;
    let unread: Unread | undefined = day;
    for (let pages = 0; unread && pages < PAGES_WAITED_FOR; pages += 1) {
      const page = await this.page(unread);
      [keys, unread] = [withSettled(keys, page.settlements), page.unread];
    }
    this.searched.set(partnerId, { before, keys });
    const rest = unread;
    if (rest) this.behind = this.behind.then(() => this.readBehind(rest));
  }

  /** A wallet whose entries cannot be read is forgotten, so that its next lookup with a key searches again. */
  private async readBehind(rest: Unread): Promise<void> {
    const { signal } = this.stopping;
    try {
      for (let unread: Unread | undefined = rest; unread && !signal.aborted;) {
        const began = this.clock.elapsedMs();
        const page: Page = await this.page(unread);
        const known = this.searched.peek(rest.partnerId);
        if (!known) return;
        this.searched.set(rest.partnerId, { ...known, keys: withSettled(known.keys, page.settlements) });
        unread = page.unread;
        await this.clock.delay(PAUSES_A_PAGE * (this.clock.elapsedMs() - began), signal);
      }
    } catch {
      this.searched.delete(rest.partnerId);
    }
  }

  private async page(unread: Unread): Promise<Page> {
    const { partnerId, before, from, since } = unread;
    const maxCount = Number(before - from < PAGE ? before - from : PAGE);
    const page = await this.eventStore.readStream(walletStreamOf(partnerId), { from: before - 1n, backwards: true, maxCount });
    const oldest = page.at(-1);
    const isLast = !oldest || oldest.revision <= from || !(String(oldest.data.recorded_at) > since);
    return { settlements: page.filter(isSettlement), unread: isLast ? undefined : { ...unread, before: oldest.revision } };
  }
}

function withSettled(known: SettledKeys, settlements: readonly StoredEvent[]): SettledKeys {
  return settlements.reduceRight((keys, { data }) => {
    const { charges, recorded_at } = data as unknown as ChargesSettled['data'];
    return addKeys(
      keys,
      charges.map(({ lookup_id }) => lookup_id),
      recorded_at,
    );
  }, known);
}

/** An event that nobody here wrote uses no key. */
function isSettlement({ type, data }: StoredEvent): boolean {
  return type === 'ChargesSettled' && shapeFault(type, data) === undefined;
}
