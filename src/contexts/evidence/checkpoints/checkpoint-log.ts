import { type Pool } from 'pg';
import { firstDay } from '../../../../projections/ledger-day/ledger-day.reader.js';
import { asRecorded } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type CheckpointTimes } from '../domain/due.js';
import { type CheckpointLeavesEvent, type CheckpointMade, PAGE_LEAVES, type PageEntry } from '../domain/events.js';
import { CheckpointRejection, CHECKPOINTS_STREAM, leavesStreamOf } from '../domain/make-checkpoint.js';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { inclusionPath, type InclusionProof, leafHash } from '../domain/merkle.js';
import { headOf, type WalletHead } from '../domain/tree-head.js';

export type Checkpoint = CheckpointMade['data'];

/** A wallet's place in the tree of a checkpoint. */
export interface WalletProof extends InclusionProof {
  readonly leaf: WalletHead;
}

/** Trees whose index is cached. Their events never change. Most partners ask for the latest one. */
const CACHED_INDEXES = 4;

/** Reads checkpoints and their trees from the log. */
@Injectable()
export class CheckpointLog {
  private readonly indexes = new LRUCache<string, Promise<readonly PageEntry[]>>({ max: CACHED_INDEXES });

  constructor(private readonly eventStore: EventStore) {}

  async last(): Promise<Checkpoint | undefined> {
    return (await this.list(1))[0];
  }

  /** @throws Rejection `checkpoint_unknown` */
  async get(number: number): Promise<Checkpoint> {
    const stored = number < 1 ? undefined : await this.eventStore.eventIn(CHECKPOINTS_STREAM, BigInt(number - 1));
    if (!stored) throw new CheckpointRejection('checkpoint_unknown');
    return asRecorded<CheckpointMade>(stored).data;
  }

  /** Returns up to `limit` checkpoints before a number, newest first; without a number, the newest ones. */
  async list(limit: number, before?: number): Promise<Checkpoint[]> {
    if (before !== undefined && before <= 1) return [];
    const from = before === undefined ? {} : { from: BigInt(before - 2) };
    const stored = await this.eventStore.readStream(CHECKPOINTS_STREAM, { ...from, backwards: true, maxCount: limit });
    return stored.map((each) => asRecorded<CheckpointMade>(each).data);
  }

  /** Yields the leaves of a checkpoint's tree, page by page. */
  async *pages({ leaves_id, tree_size }: Checkpoint): AsyncGenerator<readonly string[]> {
    const pages = pagesOf(tree_size);
    for (let page = 0; page < pages; page += 1) yield await this.page(leaves_id, page);
  }

  /** Returns the proof that the wallet is in the tree of the checkpoint; undefined if it had no entries when the checkpoint was made. */
  async proof({ leaves_id, tree_size }: Checkpoint, partnerId: string): Promise<WalletProof | undefined> {
    const index = await this.index(leaves_id, tree_size);
    const page = index.findLastIndex(({ first_partner_id }) => first_partner_id <= partnerId);
    if (page < 0) return undefined;
    const leaves = await this.page(leaves_id, page);
    const at = leaves.findIndex((leaf) => headOf(leaf).partner_id === partnerId);
    const leaf = leaves[at];
    if (leaf === undefined) return undefined;
    const roots = index.map(({ root }) => Buffer.from(root, 'base64'));
    return {
      leaf: headOf(leaf),
      leaf_index: page * PAGE_LEAVES + at,
      tree_size,
      hashes: [...inclusionPath(leaves.map(leafHash), at), ...inclusionPath(roots, page)],
    };
  }

  private async page(leavesId: string, page: number): Promise<readonly string[]> {
    const event = await this.leavesEvent(leavesId, page);
    if (event?.type !== 'CheckpointPageRecorded') throw new Error(`The log does not hold page ${page} of ${leavesStreamOf(leavesId)}.`);
    return event.data.leaves;
  }

  private async index(leavesId: string, treeSize: number): Promise<readonly PageEntry[]> {
    const known = this.indexes.get(leavesId);
    if (known) return await known;
    const reading = this.readIndex(leavesId, treeSize);
    this.indexes.set(leavesId, reading);
    reading.catch(() => this.indexes.delete(leavesId));
    return await reading;
  }

  private async readIndex(leavesId: string, treeSize: number): Promise<readonly PageEntry[]> {
    const event = await this.leavesEvent(leavesId, pagesOf(treeSize));
    if (event?.type !== 'CheckpointPagesIndexed') throw new Error(`The log does not hold the index of ${leavesStreamOf(leavesId)}.`);
    return event.data.pages;
  }

  private async leavesEvent(leavesId: string, revision: number): Promise<CheckpointLeavesEvent | undefined> {
    const stored = await this.eventStore.eventIn(leavesStreamOf(leavesId), BigInt(revision));
    return stored && asRecorded<CheckpointLeavesEvent>(stored);
  }
}

function pagesOf(treeSize: number): number {
  return Math.ceil(treeSize / PAGE_LEAVES);
}

/** Reads the times from which it follows whether a checkpoint is due. */
export async function checkpointTimes(pool: Pool, eventStore: EventStore): Promise<CheckpointTimes> {
  const last = await eventStore.lastEvent(CHECKPOINTS_STREAM);
  if (last) return { last: asRecorded<CheckpointMade>(last).data.recorded_at, firstMovement: null };
  return { last: null, firstMovement: await firstDay(pool) };
}
