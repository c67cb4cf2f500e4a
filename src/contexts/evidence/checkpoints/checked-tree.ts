import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { FencedOff } from '../../../platform/projecting/checkpoints.js';
import { CheckpointRejection } from '../domain/make-checkpoint.js';
import { type LogTileWriter } from '../tree/log-tile-table.js';
import { type GrowOptions, LogTree } from '../tree/log-tree.js';
import { type KnownNote } from './kept-note.js';

const NEVER = new AbortController().signal;

/**
 * The tree of the log in this process, and the newest recorded checkpoint that it has found in it. It begins with the tree of the last
 * checkpoint, so that the first checkpoint of a process takes as long as the events after the last one, too (docs/adr/0048). Call
 * {@link reread} now and then: it compares the log with the tree.
 */
export class CheckedTree {
  private tree: LogTree;
  /** The tree when it was as large as that of the newest checkpoint. */
  private anchor: LogTree;
  private hasComparedEdge = false;
  /** Whether the log was found not to be the one of the tree. It has to be read from its first event then. */
  private isOfAnotherLog = false;
  /** Whether the tree may begin with that of a checkpoint. */
  private trustsCheckpoints = true;

  /** @param treeOf returns the tree of a checkpoint that this service signed, without reading the log; undefined if it cannot */
  constructor(
    private readonly eventStore: EventStore,
    private readonly tiles: LogTileWriter,
    private readonly treeOf: (note: KnownNote) => Promise<LogTree | undefined>,
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
    if (this.isOfAnotherLog) this.forget();
    if (this.tree.size === 0 && last && this.trustsCheckpoints) await this.begin(last);
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

  /**
   * Reads the log from its first event up to where the tree ends, compares the tiles with it and replaces those that differ. Returns whether
   * it leads to the tree's root; undefined if a node was asked that does not have all of it yet. If the log does not lead to the root,
   * {@link follow} computes the tree from the log, which then contradicts the last checkpoint.
   * @param pause is awaited after each batch
   */
  async reread(signal: AbortSignal, pause: () => Promise<void>): Promise<boolean | undefined> {
    const { size, root, end } = this.tree;
    if (((await this.eventStore.headPosition()) ?? -1n) < end) return undefined;
    const again = new LogTree(this.eventStore);
    await again.grow(end, {
      signal,
      maxSize: size,
      onGrown: async (growth) => {
        await this.tiles.write(growth);
        await pause();
      },
    });
    if (signal.aborted || (again.size === size && again.root === root)) return true;
    this.isOfAnotherLog = true;
    return false;
  }

  private forget(): void {
    this.tree = new LogTree(this.eventStore);
    this.anchor = this.tree.copy();
    [this.isOfAnotherLog, this.trustsCheckpoints, this.hasComparedEdge] = [false, false, false];
  }

  private async begin(last: KnownNote): Promise<void> {
    // The log can be read instead, if anything is wrong with the tiles. If the event store does not respond, that fails, too.
    const tree = await this.treeOf(last).catch(() => undefined);
    if (!tree) return;
    this.tree = tree;
    this.anchor = tree.copy();
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
