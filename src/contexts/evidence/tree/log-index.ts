import { Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { type Snapshot } from '../../../platform/database/held-rows.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { logLeaf } from '../domain/log-leaf.js';
import { leafHash } from '../domain/merkle.js';
import { leafIndex, withinTiles } from './log-tile-table.js';

/** Describes `as_of_index` of a response that was computed from the log. */
export const AS_OF_INDEX = {
  description:
    'Index of the last event of the log that this is computed from, as in the evidence file and in proofs. Null while it is not known, for example shortly after the log was moved to another event store.',
  minimum: 0,
  nullable: true,
} as const;

const PAGE = 500;
/** Pages of events that are counted where the tiles are behind. They are written every second, so there is mostly one. */
const MAX_PAGES = 20;

/** Says which index in the log, and so in the evidence file, the event at a position has. */
@Injectable()
export class LogIndex {
  constructor(private readonly eventStore: EventStore) {}

  /**
   * Returns the index of the event at a position in $all; null if there is none, or if the tiles of the log's tree do not tell: while they
   * are more than 10,000 events behind, or are written again after the log was moved or restored. The tiles are believed only where they
   * have the leaf of the event that the log has there.
   * @param position -1 before the first event
   * @throws StoreUnavailable
   */
  async at(client: Pick<Pool, 'query'> | Snapshot, position: bigint): Promise<number | null> {
    if (position < 0n) return null;
    const known = await withinTiles(client, position);
    const event = known === undefined ? undefined : await this.eventStore.rawEventAt(known);
    const index = known === undefined ? -1 : event && (await leafIndex(client, known, leafHash(logLeaf(event))));
    if (index === undefined) return null;
    const more = await this.countBetween(known, position);
    return more === undefined ? null : index + more;
  }

  /** Returns a reader of the indexes of many events, mostly in the order of the log. It reads the log in pages and keeps one of them. */
  reader(client: Pick<Pool, 'query'> | Snapshot): LogIndexReader {
    return new LogIndexReader(this.eventStore, (position) => this.at(client, position));
  }

  /** Counts the events after a position (undefined: the beginning) up to another; undefined if they are too many. */
  private async countBetween(after: bigint | undefined, until: bigint): Promise<number | undefined> {
    let [count, from] = [0, after];
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      if ((from ?? -1n) >= until) return count;
      const { events, next } = await this.eventStore.allPage({ after: from, maxCount: PAGE });
      count += events.filter(({ position }) => position <= until).length;
      if (next === undefined) return count;
      from = next;
    }
    return undefined;
  }
}

const READ_PAGE = 2_000;

/** Says which index the event at each of many positions has. */
export class LogIndexReader {
  /** The indexes of the events of one page, by their positions. */
  private page: ReadonlyMap<bigint, number> = new Map();

  constructor(
    private readonly eventStore: Pick<EventStore, 'allPage'>,
    private readonly at: (position: bigint) => Promise<number | null>,
  ) {}

  /** Returns the index of the event at a position; null if there is none, or if {@link LogIndex.at} does not know it. */
  async of(position: bigint): Promise<number | null> {
    const known = this.page.get(position);
    if (known !== undefined) return known;
    const index = await this.at(position);
    if (index === null) return null;
    const { events } = await this.eventStore.allPage({ after: position, maxCount: READ_PAGE });
    this.page = new Map([position, ...events.map((event) => event.position)].map((each, place) => [each, index + place]));
    return index;
  }
}
