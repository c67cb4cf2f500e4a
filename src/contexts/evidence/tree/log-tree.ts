import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type RawEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { replayInBatches } from '../../../platform/projecting/applying/batches.js';
import { exactPages } from '../../../platform/event-sourcing/reading/read-log.js';
import { logLeaf } from '../domain/log-leaf.js';
import { CHECKPOINTS_STREAM, KEYS_STREAM } from '../domain/make-checkpoint.js';
import { type Hash, leafHash } from '../domain/merkle.js';
import { TILE_WIDTH } from '../domain/tiles.js';
import { type Tile, TreeEdge } from '../domain/tree-edge.js';

/** Events that are read at a time, which bounds the memory. */
const BATCH = 1_000;

/** A tile as it is stored. */
export interface LogTile extends Tile {
  /** Position in $all of the first event of a tile of leaves; null at higher levels. */
  readonly first_position: bigint | null;
}

/** The tiles that a batch of events added to the tree or changed. */
export interface Growth {
  /** The tiles that it filled. */
  readonly filled: readonly LogTile[];
  /** The tiles at the edge after it. */
  readonly open: readonly LogTile[];
  /** The last event of the batch. */
  readonly last: RawEvent;
}

export interface GrowOptions {
  readonly signal: AbortSignal;
  /** Stores what a batch added, before the tree counts it: a failure leaves the tree as it was. */
  readonly onGrown?: ((growth: Growth) => Promise<void>) | undefined;
  /** Called with the events of each batch. */
  readonly onEvents?: ((events: readonly RawEvent[]) => void) | undefined;
  /** Number of leaves at which it stops growing. */
  readonly maxSize?: number;
}

/** The beginning of a tree that is not computed from the log's first event on. */
export interface TreeStart {
  /** The tree without the leaves of its last tile. */
  readonly before: TreeEdge;
  /** Number of leaves in the last tile, 1 to 256. */
  readonly width: number;
  /** Position of the first of them. */
  readonly first: bigint;
}

/** The tree over the log, computed from the log's events in the process' memory. It holds the tiles at the edge alone. */
export class LogTree {
  private edge = TreeEdge.EMPTY;
  private position = -1n;
  /** Position of the first event of the tile of leaves at the edge. */
  private openSince: bigint | null = null;
  /** Number of leaves up to the newest event that is neither a checkpoint nor one of its keys. */
  private sizeWithOthers = 0;

  constructor(private readonly eventStore: Pick<EventStore, 'subscribeRaw'>) {}

  /** Returns the tree with the leaves of its last tile, which are read from the log. The caller compares the root. */
  static async from(eventStore: EventStore, { before, width, first }: TreeStart): Promise<LogTree> {
    const tree = new LogTree(eventStore);
    const events = await eventsFrom(eventStore, first, width);
    tree.edge = before.with(events.map(hashOf)).tree;
    tree.position = events.at(-1)?.position ?? -1n;
    tree.openSince = width < TILE_WIDTH ? first : null;
    tree.sizeWithOthers = tree.size;
    return tree;
  }

  get size(): number {
    return this.edge.size;
  }

  /** The root, in base64. */
  get root(): string {
    return this.edge.root().toString('base64');
  }

  /** The position of the last event in the tree; -1 for none. */
  get end(): bigint {
    return this.position;
  }

  get open(): readonly LogTile[] {
    return this.edge.tiles.map((tile) => ({ ...tile, first_position: tile.level === 0 ? this.openSince : null }));
  }

  /** Whether anything but checkpoints and their keys was appended after the first `size` leaves. */
  hasOthersAfter(size: number): boolean {
    return this.sizeWithOthers > size;
  }

  /** Returns the tree as it is now; either grows without the other. */
  copy(): LogTree {
    const copy = new LogTree(this.eventStore);
    [copy.edge, copy.position, copy.openSince] = [this.edge, this.position, this.openSince];
    copy.sizeWithOthers = this.sizeWithOthers;
    return copy;
  }

  /** Adds the events of the log up to the one at `until`. @throws StoreUnavailable, or what `onGrown` throws */
  async grow(until: bigint, { signal, onGrown, onEvents, maxSize = Infinity }: GrowOptions): Promise<void> {
    if (until <= this.position || this.size >= maxSize) return;
    const { eventStore } = this;
    const source = { subscribe: eventStore.subscribeRaw.bind(eventStore) };
    for await (const batch of replayInBatches(source, this.position < 0n ? undefined : this.position, until, BATCH, signal)) {
      const events = batch.slice(0, maxSize - this.size);
      await this.add(events, onGrown);
      onEvents?.(events);
      if (this.size === maxSize) return;
    }
  }

  private async add(events: readonly RawEvent[], onGrown: GrowOptions['onGrown']): Promise<void> {
    const last = events.at(-1);
    if (!last) return;
    const { tree, filled } = this.edge.with(events.map(hashOf));
    const firstOf = (tile: number): bigint | null => {
      const at = tile * TILE_WIDTH - this.size;
      return at < 0 ? this.openSince : (events[at]?.position ?? null);
    };
    const stored = (tile: Tile): LogTile => ({ ...tile, first_position: tile.level === 0 ? firstOf(tile.index) : null });
    await onGrown?.({ filled: filled.map(stored), open: tree.tiles.map(stored), last });
    const others = events.findLastIndex(({ stream }) => stream !== CHECKPOINTS_STREAM && stream !== KEYS_STREAM);
    if (others >= 0) this.sizeWithOthers = this.size + others + 1;
    this.openSince = firstOf(Math.floor(tree.size / TILE_WIDTH));
    [this.edge, this.position] = [tree, last.position];
  }
}

/** Returns up to `count` events of the log from the one at `first` on; none if there is no event at that position. */
async function eventsFrom(eventStore: EventStore, first: bigint, count: number): Promise<RawEvent[]> {
  const event = await eventStore.rawEventAt(first);
  const found: RawEvent[] = event ? [event] : [];
  if (!event || count === 1) return found;
  for await (const page of exactPages(eventStore, first)) {
    found.push(...page.slice(0, count - found.length));
    if (found.length === count) break;
  }
  return found;
}

function hashOf(event: RawEvent): Hash {
  return leafHash(logLeaf(event));
}
