import { Inject, Injectable } from '@nestjs/common';
import { type Pool } from 'pg';
import { EventStore, StoreUnavailable } from '../../../platform/event-sourcing/event-store.js';
import { type RawEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { POOL } from '../../../platform/injection-tokens.js';
import { type Checkpoint, CheckpointLog } from '../checkpoints/checkpoint-log.js';
import { logLeaf } from '../domain/log-leaf.js';
import { CheckpointRejection } from '../domain/make-checkpoint.js';
import { type Hash, type InclusionProof, isIncluded, leafHash } from '../domain/merkle.js';
import { type TileAddress, widthIn } from '../domain/tiles.js';
import { consistencyRanges, inclusionRanges, isConsistent, rootsOf, tilesOf } from '../domain/tree-proofs.js';
import { leafIndex, readTiles } from './log-tile-table.js';

/** The inclusion of an event in a checkpoint. */
export interface EventProof extends InclusionProof {
  readonly event: RawEvent;
  readonly leaf: string;
  readonly checkpoint: Checkpoint;
}

/** Serves the tiles of the tree of the log, and proofs that are computed from them. */
@Injectable()
export class LogProofs {
  /** The newest checkpoint's tree size, as far as this process has read. Checkpoints only grow. */
  private covered = 0;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly eventStore: EventStore,
    private readonly log: CheckpointLog,
  ) {}

  /** Returns the bytes of a tile that a checkpoint covers; undefined if none does. @throws StoreUnavailable while it is not stored */
  async tile(address: TileAddress): Promise<Buffer | undefined> {
    if (widthIn(this.covered, address) < address.width) this.covered = (await this.log.last())?.tree_size ?? 0;
    if (widthIn(this.covered, address) < address.width) return undefined;
    const [tile] = await readTiles(this.pool, [address]);
    if (!tile || tile.hashes.length < address.width) throw behind();
    return Buffer.concat(tile.hashes.slice(0, address.width));
  }

  /**
   * Returns the proof that the newest checkpoint covers an event.
   * @param revision undefined for the stream's last event
   * @throws Rejection `checkpoint_unknown` if there is no such event, or no checkpoint covers it; StoreUnavailable if the tiles do not prove it
   */
  async inclusion(stream: string, revision: bigint | undefined): Promise<EventProof> {
    const at = revision ?? (await this.eventStore.lastEvent(stream))?.revision;
    const [event, checkpoint] = await Promise.all([at === undefined ? undefined : this.eventStore.rawEventIn(stream, at), this.log.last()]);
    if (!event || !checkpoint) throw new CheckpointRejection('checkpoint_unknown');
    const leaf = logLeaf(event);
    const hash = leafHash(leaf);
    const index = await leafIndex(this.pool, event.position, hash);
    const { tree_size } = checkpoint;
    if (index === undefined || index >= tree_size) throw new CheckpointRejection('checkpoint_unknown');
    const ranges = inclusionRanges(index, { from: 0, to: tree_size });
    const hashes = rootsOf(ranges, await readTiles(this.pool, tilesOf(ranges)));
    // A tile that was changed in the database proves nothing, and is replaced by the next process that reads the log.
    if (!hashes || !isIncluded(hash, { index, tree_size, hashes }, Buffer.from(checkpoint.root, 'base64'))) throw behind();
    return { index, tree_size, hashes, event, leaf, checkpoint };
  }

  /**
   * Returns the proof that the tree of a checkpoint extends its first `size` leaves; empty for none.
   * @param size at most that of the checkpoint's tree
   * @throws StoreUnavailable if the tiles do not prove it
   */
  async consistency(size: number, { tree_size, root }: Checkpoint): Promise<readonly Hash[]> {
    if (size === 0) return [];
    const proof = consistencyRanges(size, { from: 0, to: tree_size });
    const ranges = [{ from: 0, to: size }, ...proof];
    const [earlier, ...hashes] = rootsOf(ranges, await readTiles(this.pool, tilesOf(ranges))) ?? [];
    const later = { size: tree_size, root: Buffer.from(root, 'base64') };
    if (!earlier || !isConsistent({ size, root: earlier }, later, hashes)) throw behind();
    return hashes;
  }
}

function behind(): StoreUnavailable {
  return new StoreUnavailable('The tiles of the tree of the log are behind the newest checkpoint.');
}
