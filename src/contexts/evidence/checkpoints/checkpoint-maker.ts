import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { type Pool } from 'pg';
import { partnerProjection } from '../../../../projections/partner/partner.projection.js';
import { contradictedHead, walletHeads } from '../../../../projections/wallet-entry/books.reader.js';
import { walletEntryProjection } from '../../../../projections/wallet-entry/wallet-entry.projection.js';
import { Clock } from '../../../kernel/clock.js';
import { AdvisoryLocks } from '../../../platform/database/instances/advisory-locks.js';
import { readSnapshot, type Snapshot } from '../../../platform/database/held-rows.js';
import { EventStore, StoreUnavailable } from '../../../platform/event-sourcing/event-store.js';
import { POOL } from '../../../platform/injection-tokens.js';
import { faultedAmong } from '../../../platform/projecting/checkpoints.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { CheckpointKeys } from './checkpoint-keys.js';
import { type Checkpoint, CheckpointLog, checkpointTimes } from './checkpoint-log.js';
import { secondsOverdue } from '../domain/due.js';
import { type CheckpointLeavesEvent, PAGE_LEAVES, type PageEntry } from '../domain/events.js';
import { leafHash, rootOf } from '../domain/merkle.js';
import { CHECKPOINT_LEAVES_STREAMS, CHECKPOINT_STREAMS, CheckpointRejection, MAIN } from '../domain/make-checkpoint.js';
import { headOf, leafOf, treeHeadText, type WalletHead } from '../domain/tree-head.js';
import { Streams } from '../../../platform/event-sourcing/writing/streams.js';

const CATCH_UP_TIMEOUT_MS = 10_000;
/** Pages that may wait to be appended, which bounds the memory. */
const PAGES_IN_FLIGHT = 16;
const READ_MODELS = [partnerProjection.name, walletEntryProjection.name];

/** Makes checkpoints of all wallets, one at a time in all instances. */
@Injectable()
export class CheckpointMaker {
  private readonly locks: AdvisoryLocks;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly eventStore: EventStore,
    private readonly readModels: ReadModels,
    private readonly keys: CheckpointKeys,
    private readonly log: CheckpointLog,
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {
    this.locks = new AdvisoryLocks(pool);
  }

  /**
   * Makes a checkpoint.
   * @throws StoreUnavailable if the read models are behind the log or faulted
   * @throws Rejection `checkpoint_contradicted` if a wallet no longer contains the head that the last checkpoint covers
   */
  async make(actor: string): Promise<Checkpoint> {
    return await this.locks.withLock('checkpoints', () => this.makeNext(actor));
  }

  /** Makes a checkpoint if one is due, and no other instance makes it. Returns undefined otherwise. Throws like {@link make}. */
  async makeIfDue(actor: string): Promise<Checkpoint | undefined> {
    if (!(await this.isDue())) return undefined;
    return await this.locks.withLock('checkpoints', async () => ((await this.isDue()) ? await this.makeNext(actor) : undefined));
  }

  private async isDue(): Promise<boolean> {
    return secondsOverdue(await checkpointTimes(this.pool, this.eventStore), this.clock.now()) > 0;
  }

  private async makeNext(actor: string): Promise<Checkpoint> {
    if (!(await this.readModels.waitForAll(CATCH_UP_TIMEOUT_MS)))
      throw new StoreUnavailable('The wallets’ entries are behind the event log.');
    const signer = await this.keys.signer(actor);
    const last = await this.log.last();
    if (last) await this.assertExtends(last);
    const recorded_at = [this.clock.iso(), last?.recorded_at ?? ''].reduce((latest, at) => (at > latest ? at : latest));
    const tree = await this.recordTree(recorded_at);
    const { tree_size, root } = tree;
    const number = (last?.number ?? 0) + 1;
    const note = signer.sign(treeHeadText({ origin: signer.name, tree_size, root, number, made_at: recorded_at }));
    const checkpoint = { number, ...tree, note, recorded_at, actor };
    await this.streams.of(CHECKPOINT_STREAMS).execute(MAIN, checkpoint);
    return checkpoint;
  }

  /** Checks that every head of a checkpoint is still in its wallet, so that the next checkpoint extends it. */
  private async assertExtends(last: Checkpoint): Promise<void> {
    for await (const page of this.log.pages(last)) {
      const contradicted = await contradictedHead(this.pool, page.map(headOf));
      if (contradicted) throw new CheckpointRejection('checkpoint_contradicted', { ...contradicted, number: last.number });
    }
  }

  /** Records the tree over the heads of one snapshot, page by page. */
  private async recordTree(recorded_at: string): Promise<Pick<Checkpoint, 'leaves_id' | 'tree_size' | 'root'>> {
    await using snapshot = await readSnapshot(this.pool, async (read) => ({ heads: await readHeads(read) }));
    const leaves_id = randomUUID();
    const index: PageEntry[] = [];
    let tree_size = 0;
    let recording: Promise<unknown>[] = [];
    const record = (event: CheckpointLeavesEvent): void => {
      const recorded = this.streams.of(CHECKPOINT_LEAVES_STREAMS).execute(leaves_id, event);
      // Promise.all below reports the failure, perhaps after another page has been read.
      recorded.catch(() => undefined);
      recording.push(recorded);
    };
    for await (const heads of inPages(snapshot.heads)) {
      const leaves = heads.map(leafOf);
      record({ type: 'CheckpointPageRecorded', data: { page: index.length, leaves, recorded_at } });
      index.push({ first_partner_id: heads[0]?.partner_id ?? '', root: rootOf(leaves.map(leafHash)).toString('base64') });
      tree_size += leaves.length;
      if (recording.length < PAGES_IN_FLIGHT) continue;
      await Promise.all(recording);
      recording = [];
    }
    record({ type: 'CheckpointPagesIndexed', data: { pages: index, recorded_at } });
    await Promise.all(recording);
    return { leaves_id, tree_size, root: rootOf(index.map(({ root }) => Buffer.from(root, 'base64'))).toString('base64') };
  }
}

/** A faulted read model does not advance, and nobody waits for it. */
async function readHeads(snapshot: Snapshot): Promise<AsyncIterable<WalletHead>> {
  const [faulted] = await faultedAmong(snapshot, READ_MODELS);
  if (faulted !== undefined) throw new StoreUnavailable(`The read model ${faulted} is faulted.`);
  return await walletHeads(snapshot);
}

async function* inPages(heads: AsyncIterable<WalletHead>): AsyncGenerator<readonly WalletHead[]> {
  let page: WalletHead[] = [];
  for await (const head of heads) {
    page.push(head);
    if (page.length < PAGE_LEAVES) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}
