import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { Clock } from '../../../kernel/clock.js';
import { AdvisoryLocks } from '../../../platform/database/instances/locks.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { POOL } from '../../../platform/injection-tokens.js';
import { secondsOverdue } from '../domain/due.js';
import { CHECKPOINT_STREAMS, MAIN } from '../domain/make-checkpoint.js';
import { treeHeadText, type TreeHead } from '../domain/tree-head.js';
import { LogTileWriter, firstPositionOf, readTiles } from '../tree/log-tile-table.js';
import { assertExtends, CheckedTree } from './checked-tree.js';
import { CheckpointKeys } from './checkpoint-keys.js';
import { type Checkpoint, CheckpointLog, checkpointTimes } from './checkpoint-log.js';
import { KeptNote } from './kept-note.js';
import { edgeTiles, TILE_WIDTH } from '../domain/tiles.js';
import { TreeEdge } from '../domain/tree-edge.js';
import { LogTree } from '../tree/log-tree.js';

/** A checkpoint; not a new one if nothing was appended since the last. */
export type Made = Checkpoint & { readonly isNew: boolean };

/** Signs checkpoints of the log, one at a time in all instances. */
@Injectable()
export class CheckpointMaker {
  private readonly locks: AdvisoryLocks;
  private readonly tiles: LogTileWriter;
  /** The tree of the process that follows the log. The others begin with the last checkpoint each time, as the tiles show it by then. */
  private followedTree: CheckedTree | undefined;
  /** The newest event up to which {@link follow} has read, and the last checkpoint then. */
  private followed: { readonly head: bigint | undefined; readonly last: Checkpoint | undefined } | undefined;
  /** Called with the number of tiles that were not what the log says, and were replaced. */
  onRepaired: (tiles: number) => void = () => undefined;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly eventStore: EventStore,
    private readonly keys: CheckpointKeys,
    private readonly log: CheckpointLog,
    private readonly kept: KeptNote,
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {
    this.locks = new AdvisoryLocks(pool);
    this.tiles = new LogTileWriter(pool, (rows) => {
      this.onRepaired(rows);
    });
  }

  /** Number of events in the tree of the process that follows the log. */
  get treeSize(): number {
    return this.followedTree?.size ?? 0;
  }

  /** Reads the log's new events and stores the tiles, whether or not a checkpoint is due. @throws errors of the stores */
  async follow(signal: AbortSignal): Promise<void> {
    const head = await this.eventStore.headPosition();
    // Most of the time nothing was appended since, not even a checkpoint.
    if (this.followed && head === this.followed.head) return;
    const last = await this.log.last();
    this.followedTree ??= this.beginTree();
    await this.followedTree.follow(await this.kept.newest(this.log), signal);
    if (!signal.aborted) this.followed = { head, last };
  }

  /**
   * Reads the log from its first event up to where {@link follow} has read, and compares the tiles with it. Returns whether it is still the
   * log that was signed; if not, no checkpoint can be made. Undefined if that cannot be told at present.
   * @param pause is awaited after each batch. @throws errors of the stores
   */
  async reread(signal: AbortSignal, pause: () => Promise<void>): Promise<boolean | undefined> {
    const isSame = await this.followedTree?.reread(signal, pause);
    if (isSame === false) this.followed = undefined;
    return isSame;
  }

  /**
   * Signs a checkpoint of the whole log. Returns the last one if nothing but checkpoints and their keys was appended after it.
   * @throws Rejection `checkpoint_contradicted` if the events that the newest known checkpoint covers are no longer those of the log
   */
  async make(actor: string): Promise<Made> {
    return await this.locks.withLock('checkpoints', async () => {
      const last = await this.log.last();
      const known = await this.kept.newest(this.log);
      const tree = this.followedTree ?? this.beginTree();
      assertExtends(await tree.follow(known), known);
      const signer = await this.keys.signer(actor);
      // A key that was just issued is an event of the log, too.
      assertExtends(await tree.follow(known), known);
      if (last && !tree.hasOthersAfter(last.tree_size)) return { ...last, isNew: false };
      const { size: tree_size, root } = tree;
      const { number, recorded_at: lastAt } = (await this.streams.of(CHECKPOINT_STREAMS).load(MAIN)).state;
      const at = [this.clock.iso(), lastAt].reduce((latest, each) => (each > latest ? each : latest));
      const note = signer.sign(treeHeadText({ origin: signer.name, tree_size, root }));
      const checkpoint = { number: number + 1, tree_size, root, note, actor };
      await this.kept.keep({ ...checkpoint, verifier_key: signer.verifierKey });
      const { state } = await this.streams.of(CHECKPOINT_STREAMS).execute(MAIN, { ...checkpoint, at });
      tree.noteRecorded();
      return { ...checkpoint, recorded_at: state.recorded_at, isNew: true };
    });
  }

  /** Signs a checkpoint if one is due, as far as {@link follow} has read. Returns undefined otherwise. Throws like {@link make}. */
  async makeIfDue(actor: string, everySeconds: number): Promise<Made | undefined> {
    if (!this.followed || !this.followedTree?.hasOthersAfter(this.followed.last?.tree_size ?? 0)) return undefined;
    const { last } = this.followed;
    // The tree knows that the last one does not cover everything, so only the time since then counts.
    const times = last ? { last: last.recorded_at, firstEvent: last.recorded_at } : await checkpointTimes(this.eventStore);
    if (secondsOverdue(times, everySeconds, this.clock.now()) === 0) return undefined;
    const made = await this.make(actor);
    return made.isNew ? made : undefined;
  }

  private beginTree(): CheckedTree {
    return new CheckedTree(this.eventStore, this.tiles, async ({ note }) => {
      // The key store authenticates the note with the master key: nobody with the database or the log can write one.
      const vouched = await this.kept.get();
      return vouched?.note === note ? await treeAt(this.pool, this.eventStore, vouched) : undefined;
    });
  }
}

/**
 * Returns the tree of a checkpoint without reading the log up to it: from the tiles, and from those of its events that are in its last tile
 * of leaves. Undefined if they do not lead to the checkpoint's root. That root vouches for the tiles, and for where in the log the tree ends,
 * so the caller must know that this service signed it.
 */
async function treeAt(pool: Pool, eventStore: EventStore, { tree_size, root }: TreeHead): Promise<LogTree | undefined> {
  if (tree_size === 0) return undefined;
  const tile = Math.floor((tree_size - 1) / TILE_WIDTH);
  const full = tile * TILE_WIDTH;
  const before = TreeEdge.of(full, await readTiles(pool, edgeTiles(full)));
  const first = await firstPositionOf(pool, tile);
  if (!before || first === undefined) return undefined;
  const tree = await LogTree.from(eventStore, { before, width: tree_size - full, first });
  return tree.size === tree_size && tree.root === root ? tree : undefined;
}
