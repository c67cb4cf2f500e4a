import { Injectable } from '@nestjs/common';
import { Clock } from '../../kernel/clock.js';
import { OtherInstances } from '../database/other-instances.js';
import { StatementQueue } from '../database/statement-queue.js';
import { type CommandResult } from '../event-sourcing/batch.js';
import { type DomainEvent } from '../event-sourcing/decider.js';
import { PeerCalls } from '../peers/peer-calls.js';
import { ReadModelListener } from './read-model-listener.js';
import { ReadModels } from './read-models.js';

/** A farmer or a partner that a change concerns. */
export type Subject = `farmer ${string}` | `partner ${string}`;

interface Change {
  readonly subjects: readonly Subject[];
  /** Position in the log, as decimal text. */
  readonly position: string;
}

/** With so many subjects the read models are far behind, and further changes wait until they are shown. */
const MAX_SUBJECTS = 100_000;
/** Milliseconds that a read waits at most. */
const READS_WAIT_MS = 2_000;
const MAX_CHANGES_PER_CALL = 256;

/**
 * Changes that are confirmed to their caller before the read models show them. Not the change waits for the read models then, but those
 * reads that have to show it: {@link confirm} names what a change concerns, and {@link waitFor} waits before a read that concerns it. The
 * other APIs are told of a change before it is confirmed. If one cannot be told, the change waits for the read models after all.
 */
@Injectable()
export class UnshownChanges {
  /** The position of the last change of each subject, in the order in which they came. */
  private readonly positions = new Map<Subject, bigint>();
  /** Since when this instance was known when it had caught up with what others had confirmed without telling it. */
  private caughtUpSince: number | undefined;
  private readonly queues = new Map<number, StatementQueue<Change, true>>();

  constructor(
    private readonly readModels: ReadModels,
    private readonly listener: ReadModelListener,
    private readonly others: OtherInstances,
    private readonly peers: PeerCalls,
    private readonly clock: Clock,
  ) {
    peers.receive('unshown_changes', (changes) =>
      Promise.resolve((changes as readonly Change[]).every(({ subjects, position }) => this.note(subjects, BigInt(position)))),
    );
  }

  /**
   * Resolves once every later read that waits for one of the subjects shows the change, on each instance: when the others have been told,
   * otherwise when the read models show it, or after 10 s.
   */
  async confirm(committed: CommandResult<unknown, DomainEvent>, subjects: readonly Subject[]): Promise<void> {
    const { position } = committed;
    if (position === undefined || this.listener.hasReached(position)) return;
    if (this.note(subjects, position) && (await this.tellOthers({ subjects, position: position.toString() }))) return;
    await this.readModels.waitFor(committed);
  }

  /** Waits until the read models show every confirmed change of the subject, 2 s at most, also if a store does not respond. */
  async waitFor(subject: Subject): Promise<void> {
    const knownSince = this.others.knownSince();
    if (knownSince === undefined || knownSince !== this.caughtUpSince) {
      await this.catchUp();
      return;
    }
    const position = this.positions.get(subject);
    if (position !== undefined) await this.listener.waitFor(position, READS_WAIT_MS);
  }

  /** Waits for everything in the log, because others may have confirmed changes without telling this instance. */
  private async catchUp(): Promise<void> {
    const done = new AbortController();
    const late = this.clock.delay(READS_WAIT_MS, done.signal).catch(() => undefined);
    await Promise.race([this.waitForAll().catch(() => undefined), late]);
    done.abort();
  }

  private async waitForAll(): Promise<void> {
    // The head of the log must be read after the others were searched for: one that has ended since may have confirmed a change before.
    await this.others.searched();
    const knownSince = this.others.knownSince();
    if (await this.readModels.waitForAll(READS_WAIT_MS)) this.caughtUpSince = knownSince;
  }

  /** Returns whether there was room to note it. */
  private note(subjects: readonly Subject[], position: bigint): boolean {
    this.dropShown();
    if (this.positions.size >= MAX_SUBJECTS) return false;
    for (const subject of subjects) {
      if ((this.positions.get(subject) ?? -1n) > position) continue;
      this.positions.delete(subject);
      this.positions.set(subject, position);
    }
    return true;
  }

  private dropShown(): void {
    for (const [subject, position] of this.positions) {
      if (!this.listener.hasReached(position)) return;
      this.positions.delete(subject);
    }
  }

  /** Returns whether all other instances have noted the change. */
  private async tellOthers(change: Change): Promise<boolean> {
    const others = this.others.current();
    if (others === undefined || others.length === 0) return others !== undefined;
    const callable = this.peers.others();
    if (!others.every((instance) => callable.includes(instance))) return false;
    for (const gone of this.queues.keys()) if (!others.includes(gone)) this.queues.delete(gone);
    try {
      await Promise.all(others.map((instance) => this.queueTo(instance).load(change)));
      return true;
    } catch {
      return false;
    }
  }

  /** Changes that come while a call is under way share the next one. */
  private queueTo(instance: number): StatementQueue<Change, true> {
    let queue = this.queues.get(instance);
    if (!queue) {
      queue = new StatementQueue((changes: readonly Change[]) => this.tell(instance, changes), { maxKeys: MAX_CHANGES_PER_CALL });
      this.queues.set(instance, queue);
    }
    return queue;
  }

  private async tell(instance: number, changes: readonly Change[]): Promise<true[]> {
    if ((await this.peers.call(instance, 'unshown_changes', changes)) !== true) throw new Error('The other API has no room for them.');
    return changes.map(() => true);
  }
}
