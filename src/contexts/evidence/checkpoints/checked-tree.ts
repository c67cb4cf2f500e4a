import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { FencedOff } from '../../../platform/projecting/checkpoints.js';
import { CheckpointRejection } from '../domain/make-checkpoint.js';
import { type LogTileWriter } from '../tree/log-tile-table.js';
import { type GrowOptions, LogTree } from '../tree/log-tree.js';
import { type KnownNote } from './kept-note.js';

const NEVER = new AbortController().signal;

/**
 * The tree that this process has computed from the log, from its first event on, and the newest recorded checkpoint that it has found in
 * it. It reads every event once, so that the next checkpoint takes as long as the events after the last one (docs/adr/0040).
 */
export class CheckedTree {
  private readonly tree: LogTree;
  /** The tree when it was as large as that of the newest checkpoint. */
  private anchor: LogTree;
  private hasComparedEdge = false;

  constructor(
    private readonly eventStore: EventStore,
    private readonly tiles: LogTileWriter,
  ) {
    this.tree = new LogTree(eventStore);
    this.anchor = this.tree.copy();
  }

  get size(): number {
    return this.tree.size;
  }

  /** The root, in base64. */
  get root(): string {
    return this.tree.root;
  }

  hasOthersAfter(size: number): boolean {
    return this.tree.hasOthersAfter(size);
  }

  /** Reads the log's new events, and stores the tiles. Returns whether the tree still extends the last checkpoint. */
  async follow(last: KnownNote | undefined, signal: AbortSignal = NEVER): Promise<boolean> {
    const end = await this.eventStore.headPosition();
    if (end === undefined) return last === undefined;
    const options = { signal, onGrown: this.tiles.write.bind(this.tiles) };
    // Another process may have moved the position of the tiles; the batch is then compared with what that process wrote.
    for (;;) {
      try {
        const extendsLast = last === undefined || (await this.reaches(last, end, options));
        await this.tree.grow(end, options);
        if (signal.aborted) return extendsLast;
        if (!this.hasComparedEdge) await this.tiles.compareEdge(this.tree.open, this.tree.size, this.tree.end);
        this.hasComparedEdge = true;
        return extendsLast;
      } catch (error) {
        if (!(error instanceof FencedOff)) throw error;
        await this.tiles.begin();
      }
    }
  }

  /** Notes that a checkpoint of the tree as it is was recorded. */
  noteRecorded(): void {
    this.anchor = this.tree.copy();
  }

  /** Returns whether the events that the checkpoint covers lead to its root. */
  private async reaches({ tree_size, root }: KnownNote, end: bigint, options: GrowOptions): Promise<boolean> {
    if (tree_size > this.tree.size) {
      await this.tree.grow(end, { ...options, maxSize: tree_size });
      this.anchor = this.tree.copy();
    } else if (tree_size !== this.anchor.size) {
      // Another process made it: the events since the checkpoint before are read again.
      const again = tree_size > this.anchor.size ? this.anchor.copy() : new LogTree(this.eventStore);
      await again.grow(end, { signal: options.signal, maxSize: tree_size });
      this.anchor = again;
    }
    return this.anchor.size === tree_size && this.anchor.root === root;
  }
}

/** @throws Rejection `checkpoint_contradicted` */
export function assertExtends(extendsLast: boolean, last: KnownNote | undefined): void {
  if (!extendsLast && last) throw new CheckpointRejection('checkpoint_contradicted', { number: last.number, tree_size: last.tree_size });
}
