import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { OtherInstances } from '../../database/instances/other-instances.js';
import { type CommandResult } from '../../event-sourcing/writing/batch.js';
import { type DomainEvent } from '../../event-sourcing/decider.js';
import { StoreUnavailable } from '../../event-sourcing/event-store-client/store-errors.js';
import { ReadModelListener } from './read-model-listener.js';
import { ReadModels } from '../read-models.js';

/** A farmer or a partner that a change concerns. */
export type Subject = `farmer ${string}` | `partner ${string}`;

/** With so many subjects the read models are far behind, and further changes wait until they are shown. */
const MAX_SUBJECTS = 100_000;
/** Milliseconds that a read waits at most. */
const READS_WAIT_MS = 2_000;

/**
 * Changes that are confirmed to their caller before the read models show them. Not the change waits for the read models then, but those
 * reads that have to show it: {@link confirm} names what a change concerns, and {@link waitFor} waits before a read that concerns it. While
 * another API serves reads as well, the change waits for the read models after all (docs/adr/0028).
 */
@Injectable()
export class ReadYourWrites {
  /** The position of the last change of each subject, in the order in which they came. */
  private readonly positions = new Map<Subject, bigint>();
  /** Since when this instance was known when it had caught up with what others had confirmed without telling it. */
  private caughtUpSince: number | undefined;

  constructor(
    private readonly readModels: ReadModels,
    private readonly listener: ReadModelListener,
    private readonly others: OtherInstances,
    private readonly clock: Clock,
  ) {}

  /**
   * Resolves once every later read that waits for one of the subjects shows the change, on each instance: at once if this instance is alone,
   * otherwise when the read models show it, or after 10 s.
   */
  async confirm(committed: CommandResult<unknown, DomainEvent>, subjects: readonly Subject[]): Promise<void> {
    const { position } = committed;
    if (position === undefined || this.listener.hasReached(position)) return;
    if (this.note(subjects, position) && this.others.current()?.length === 0) return;
    await this.readModels.waitFor(committed);
  }

  /**
   * Waits until the read models show every confirmed change of the subject, for 2 s, also if a store does not respond. What other instances
   * may have confirmed is waited for, but may be missing afterwards.
   * @throws StoreUnavailable if they do not show what this instance has confirmed, because a read without it would be wrong
   */
  async waitFor(subject: Subject): Promise<void> {
    const knownSince = this.others.knownSince();
    if (knownSince === undefined || knownSince !== this.caughtUpSince) await this.catchUp();
    const position = this.positions.get(subject);
    if (position === undefined || (await this.listener.waitFor(position, READS_WAIT_MS))) return;
    throw new StoreUnavailable('The read models do not show a change yet that this process has confirmed.');
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
}
