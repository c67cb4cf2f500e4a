import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { Cursors } from '../../../http/validating/paging.js';
import { type Period } from '../../../http/validating/period-filter.js';
import { asRecorded, Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { GENESIS_HASH } from '../../../platform/event-sourcing/stream-kind.js';
import { type StoredEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { GenuineEvents } from '../../../platform/unusable-events/genuine-events.js';
import { type WalletEvent, walletStreamOf } from '../domain/events.js';
import { entryView } from './get-wallet-entries.query.js';
import { entryRow } from '../verifying/replay-wallet.js';
import { type ChainedWalletEntries, type ChainedWalletEntryView } from '../wallet-responses.dto.js';

const CURSORS = new Cursors('wallet-entries', 'integer');

/** Entries that one call looks through for those about a farmer, which no index finds in the log, and those of one reading. */
const SEARCHED = 2_000;
const READ = 500;

export interface EntriesFilter extends Period {
  readonly cursor?: string | undefined;
  readonly rupaId?: string | undefined;
}

/**
 * Lists a wallet's entries from the log, newest first, with their links of the chain as recorded. With a farmer, at most 2,000 entries are
 * searched, so that a page may be short although there is a next one.
 * @throws ValidationFailed if the cursor is malformed
 */
export class ListNewestEntries extends Query<ChainedWalletEntries> {
  constructor(
    readonly partnerId: string,
    readonly limit: number,
    readonly filter: EntriesFilter,
  ) {
    super();
  }
}

/** Entries from one revision up to another, which is not included. */
interface Range {
  readonly first: bigint;
  readonly end: bigint;
}

@QueryHandler(ListNewestEntries)
export class ListNewestEntriesHandler implements IQueryHandler<ListNewestEntries> {
  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
  ) {}

  async execute({ partnerId, limit, filter: { cursor, rupaId, from, to } }: ListNewestEntries): Promise<ChainedWalletEntries> {
    const [before] = CURSORS.position(cursor) ?? [];
    const stream = walletStreamOf(partnerId);
    const [last] = await this.newest(stream, 1, before === undefined ? undefined : BigInt(before) - 1n);
    let range: Range = { first: 0n, end: last ? last.revision + 1n : 0n };
    if (from !== undefined) range = { ...range, first: await this.firstAt(stream, from, range) };
    if (to !== undefined) range = { ...range, end: await this.firstAt(stream, to, range) };
    const { rows, searchedTo } = await this.search(stream, range, limit + 1, rupaId);
    const { items, next_cursor } = CURSORS.page(rows, limit, ({ revision }) => [revision]);
    return { entries: items, next_cursor: next_cursor ?? (searchedTo > range.first ? CURSORS.at([Number(searchedTo)]) : null) };
  }

  private async search(stream: string, { first, end }: Range, count: number, rupaId: string | undefined) {
    const rows: ChainedWalletEntryView[] = [];
    let searchedTo = end;
    while (rows.length < count && searchedTo > first && end - searchedTo < SEARCHED) {
      const read = await this.read(stream, rupaId === undefined ? count : READ, searchedTo);
      rows.push(...read.filter((entry) => entry.revision >= first && (rupaId === undefined || entry.rupa_id === rupaId)));
      searchedTo = BigInt(read.at(-1)?.revision ?? 0);
    }
    return { rows: rows.slice(0, count), searchedTo };
  }

  /**
   * Returns the revision of the first entry at or after a time; the end of the range if there is none. The times of a wallet's entries never
   * decrease, so it halves the range until one entry is left.
   */
  private async firstAt(stream: string, time: string, { first, end }: Range): Promise<bigint> {
    const at = millisecondsFrom(time);
    let [earlier, found] = [first - 1n, end];
    while (found - earlier > 1n) {
      const middle = (earlier + found) / 2n;
      const [event] = await this.codec.decode(await this.newest(stream, 1, middle));
      if (event && Date.parse(asRecorded<WalletEvent>(event).data.recorded_at) >= at) found = middle;
      else earlier = middle;
    }
    return found;
  }

  /** @param end revision after that of the newest entry to read */
  private async read(stream: string, count: number, end: bigint): Promise<ChainedWalletEntryView[]> {
    // One more than is returned, because the oldest entry names the hash of the one before it.
    const stored = await this.newest(stream, count + 1, end - 1n);
    return (await this.codec.decode(stored.slice(0, count))).map((event, index) => {
      const { hash, ...entry } = entryView(entryRow(asRecorded<WalletEvent>(event)));
      const prev_hash = event.metadata.prev_hash ?? stored[index + 1]?.metadata.hash ?? GENESIS_HASH;
      return { ...entry, prev_hash, hash };
    });
  }

  /** Returns the newest genuine events, as they are stored. @throws EventSetAside */
  private async newest(stream: string, count: number, from: bigint | undefined): Promise<readonly StoredEvent[]> {
    const genuine = new GenuineEvents(this.eventStore, this.codec);
    const found: StoredEvent[] = [];
    for (let next = from; found.length < count && (next === undefined || next >= 0n);) {
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

/** Returns the first millisecond that is not before a time: entries have times of whole milliseconds. @param time ISO 8601 */
function millisecondsFrom(time: string): number {
  return Date.parse(time) + (/\.\d{3}\d*[1-9]/.test(time) ? 1 : 0);
}
