import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { Cursors } from '../../http/paging.js';
import { asRecorded, Codec } from '../../platform/event-sourcing/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { GENESIS_HASH } from '../../platform/event-sourcing/hash-chain.js';
import { type WalletEvent, walletStreamOf } from './domain/events.js';
import { entryView } from './get-wallet-entries.query.js';
import { entryRow } from './replay-wallet.js';
import { type ChainedWalletEntries, type ChainedWalletEntryView } from './wallet-responses.dto.js';

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
    const from = before === undefined ? {} : { from: BigInt(before) - 1n };
    // One more than the page, because the oldest entry of the page names the hash of the one before it.
    const stored = await this.eventStore.readStream(walletStreamOf(partnerId), { backwards: true, maxCount: maxCount + 1, ...from });
    return (await this.codec.decode(stored.slice(0, maxCount))).map((event, index) => {
      const { hash, ...entry } = entryView(entryRow(asRecorded<WalletEvent>(event)));
      const prev_hash = event.metadata.prev_hash ?? stored[index + 1]?.metadata.hash ?? GENESIS_HASH;
      return { ...entry, prev_hash, hash };
    });
  }
}
