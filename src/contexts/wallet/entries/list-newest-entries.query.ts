import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { Cursors } from '../../../http/validating/paging.js';
import { asRecorded, Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { GENESIS_HASH } from '../../../platform/event-sourcing/hash-chain.js';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { GenuineEvents } from '../../../platform/unusable-events/genuine-events.js';
import { type WalletEvent, walletStreamOf } from '../domain/events.js';
import { entryView } from './get-wallet-entries.query.js';
import { entryRow } from '../verifying/replay-wallet.js';
import { type ChainedWalletEntries, type ChainedWalletEntryView } from '../wallet-responses.dto.js';

const CURSORS = new Cursors('wallet-entries', 'integer');

/**
 * Lists a wallet's entries from the log, newest first, with their links of the chain as recorded.
 * @throws ValidationFailed if the cursor is malformed
 */
export class ListNewestEntries extends Query<ChainedWalletEntries> {
  constructor(
    readonly partnerId: string,
    readonly limit: number,
    readonly cursor?: string,
  ) {
    super();
  }
}

@QueryHandler(ListNewestEntries)
export class ListNewestEntriesHandler implements IQueryHandler<ListNewestEntries> {
  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
  ) {}

  async execute({ partnerId, limit, cursor }: ListNewestEntries): Promise<ChainedWalletEntries> {
    const [before] = CURSORS.position(cursor) ?? [];
    const { items, next_cursor } = CURSORS.page(await this.read(partnerId, limit + 1, before), limit, ({ revision }) => [revision]);
    return { entries: items, next_cursor };
  }

  /** @param before revision of the entry after the newest one to read */
  private async read(partnerId: string, maxCount: number, before: number | undefined): Promise<ChainedWalletEntryView[]> {
    if (before !== undefined && before < 1) return [];
    // One more than the page, because the oldest entry of the page names the hash of the one before it.
    const stored = await this.newest(walletStreamOf(partnerId), maxCount + 1, before === undefined ? undefined : BigInt(before) - 1n);
    return (await this.codec.decode(stored.slice(0, maxCount))).map((event, index) => {
      const { hash, ...entry } = entryView(entryRow(asRecorded<WalletEvent>(event)));
      const prev_hash = event.metadata.prev_hash ?? stored[index + 1]?.metadata.hash ?? GENESIS_HASH;
      return { ...entry, prev_hash, hash };
    });
  }

  /** Returns the newest genuine events, as they are stored. @throws EventSetAside */
  private async newest(stream: string, count: number, from: bigint | undefined): Promise<readonly StoredEvent[]> {
    const genuine = new GenuineEvents(this.eventStore, this.codec);
    const found: StoredEvent[] = [];
    for (let next = from; found.length < count && next !== -1n;) {
      const page = await this.eventStore.readStream(stream, {
        backwards: true,
        maxCount: count,
        ...(next === undefined ? {} : { from: next }),
      });
      found.push(...(await genuine.stored(page)));
      next = (page.at(-1)?.revision ?? 0n) - 1n;
    }
    return found.slice(0, count);
  }
}
