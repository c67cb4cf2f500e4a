import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock.js';
import { OtherInstances } from '../../database/instances/instance-presence.js';
import { type CommandResult } from '../../event-sourcing/writing/batch.js';
import { type DomainEvent } from '../../event-sourcing/decider.js';
import { StoreUnavailable } from '../../event-sourcing/event-store-client/store-errors.js';
import { ReadModelListener } from './read-model-listener.js';
import { ReadModels, ReadModelBehind } from '../read-models.js';

/** A farmer or a partner that a change concerns. */
export type Subject = `farmer ${string}` | `partner ${string}`;

/** With so many subjects the read models are far behind, and further changes are refused. */
const MAX_SUBJECTS = 100_000;
/** Streams that a read of one farmer reads at most; further changes that concern the farmer are refused. */
const MAX_STREAMS = 500;
/** Milliseconds that a read waits at most. */
const READS_WAIT_MS = 2_000;
/** Milliseconds of {@link READS_WAIT_MS} that the read models may take, so that a read can tell them from a store that does not respond. */
const CATCH_UP_WAIT_MS = 1_800;
/** Milliseconds that a change waits at most, and without any progress of the read models: other APIs know by then that they lag (staleness.ts). */
const CONFIRM_WAIT_MS = { most: 10_000, withoutProgress: 2_500 };
/** Milliseconds after which a wait for everything in the log is tried again by reads that do not depend on it. */
const CATCH_UP_AGAIN_MS = 5_000;
/** The read models that show what subjects are read for. */
const MODELS = ['contribution', 'partner_usage'];

/** The changes of a subject that are confirmed, and that the read models did not show when they were. */
interface ConfirmedChanges {
  /** The position of the last one in the log. */
  readonly position: bigint;
  /** When it was noted, in milliseconds of the stopwatch. */
  readonly notedMs: number;
  /** The streams that hold them, each with the position of its last one, of a farmer: a partner's are not read. */
  readonly streams: Map<string, bigint>;
}

/**
 * Changes that are confirmed to their caller before the read models show them. Not the change waits for the read models then, but those
 * reads that have to show it: {@link confirm} names what a change concerns, and {@link waitFor} waits before a read that concerns it. While
 * another API serves reads as well, the change waits for the read models after all (docs/adr/0028).
 */
@Injectable()
export class ReadYourWrites {
  /** The changes of each subject, in the order in which they came. */
  private readonly confirmed = new Map<Subject, ConfirmedChanges>();
  /** Since when this instance was known when it had caught up with what others had confirmed without telling it. */
  private caughtUpSince: number | undefined;
  private triedToCatchUpMs = -Infinity;

  constructor(
    private readonly readModels: ReadModels,
    private readonly listener: ReadModelListener,
    private readonly others: OtherInstances,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes sure that a change of the farmer can be noted, before it is appended.
   * @throws ReadModelBehind if too many are not shown yet
   */
  admit(rupaId: string): void {
    const farmer: Subject = `farmer ${rupaId}`;
    const hasTooMany = (): boolean => (this.confirmed.get(farmer)?.streams.size ?? 0) >= MAX_STREAMS;
    if (!hasTooMany() && this.confirmed.size < MAX_SUBJECTS) return;
    this.dropShown();
    this.dropShownStreams(farmer);
    if (this.confirmed.size >= MAX_SUBJECTS || hasTooMany()) throw new ReadModelBehind('contribution');
  }

  /**
   * Resolves once every later read that waits for one of the subjects shows the change, or is refused, on each instance: at once if this
   * instance is alone, otherwise when the read models show it, or after 2.5 s in which they have not advanced.
   * @param stream the stream that holds the change
   */
  async confirm({ position }: CommandResult<unknown, DomainEvent>, subjects: readonly Subject[], stream: string): Promise<void> {
    if (position === undefined || this.listener.hasReached(position, MODELS)) return;
    this.note(subjects, position, stream);
    if (this.others.current()?.length === 0) return;
    await this.whileProgressing(position);
  }

  /**
   * Waits until the read models show every confirmed change of the subject, for 2 s, also if a store does not respond.
   * @throws ReadModelBehind if they do not, because a read without it would be wrong; errors of the event store
   */
  async waitFor(subject: Subject, models: readonly string[]): Promise<void> {
    if (!this.knowsOthers) await this.catchUp(models);
    const noted = this.confirmed.get(subject);
    if (noted) await this.readModels.waitForPosition(noted.position, models, READS_WAIT_MS);
  }

  /**
   * Returns the streams of the subject's changes which the read models did not show within 2 s after they were confirmed, so that a read
   * can show them from the log; none as a rule. What other instances have confirmed is waited for, but may be missing.
   */
  async lateStreamsOf(subject: Subject): Promise<readonly string[]> {
    if (!this.knowsOthers && this.clock.elapsedMs() - this.triedToCatchUpMs > CATCH_UP_AGAIN_MS)
      await this.catchUp(MODELS).catch(() => undefined);
    const noted = this.confirmed.get(subject);
    if (!noted) return [];
    const leftMs = noted.notedMs + READS_WAIT_MS - this.clock.elapsedMs();
    const isShown = await this.listener.waitFor(noted.position, Math.max(0, leftMs), MODELS);
    return isShown ? [] : [...noted.streams.keys()];
  }

  private async whileProgressing(position: bigint): Promise<void> {
    const { most, withoutProgress } = CONFIRM_WAIT_MS;
    for (let waitedMs = 0; waitedMs < most; waitedMs += withoutProgress) {
      const shown = MODELS.map((model) => this.listener.shownBy(model));
      if (await this.listener.waitFor(position, withoutProgress, MODELS)) return;
      if (MODELS.every((model, index) => this.listener.shownBy(model) === shown[index])) return;
    }
  }

  /** Whether no other instance may have confirmed changes without knowing of this one. */
  private get knowsOthers(): boolean {
    const knownSince = this.others.knownSince();
    return knownSince !== undefined && knownSince === this.caughtUpSince;
  }

  /** Waits for everything in the log, because others may have confirmed changes without telling this instance. */
  private async catchUp(models: readonly string[]): Promise<void> {
    this.triedToCatchUpMs = this.clock.elapsedMs();
    const done = new AbortController();
    const late = this.clock.delay(READS_WAIT_MS, done.signal).then(
      () => {
        throw new StoreUnavailable('The event store or the read models did not respond in time.');
      },
      () => undefined,
    );
    try {
      await Promise.race([this.waitForAll(models), late]);
    } finally {
      done.abort();
    }
  }

  private async waitForAll(models: readonly string[]): Promise<void> {
    // The head of the log must be read after the others were searched for: one that has ended since may have confirmed a change before.
    await this.others.searched();
    const knownSince = this.others.knownSince();
    await this.readModels.waitForHead([...models, ...MODELS], CATCH_UP_WAIT_MS);
    this.caughtUpSince = knownSince;
  }

  private note(subjects: readonly Subject[], position: bigint, stream: string): void {
    this.dropShown();
    const notedMs = this.clock.elapsedMs();
    for (const subject of subjects) {
      const known = this.confirmed.get(subject);
      const streams = known?.streams ?? new Map<string, bigint>();
      if (subject.startsWith('farmer ') && (streams.get(stream) ?? -1n) < position) streams.set(stream, position);
      this.confirmed.delete(subject);
      this.confirmed.set(subject, { position: known && known.position > position ? known.position : position, notedMs, streams });
    }
  }

  private dropShown(): void {
    for (const [subject, { position }] of this.confirmed) {
      if (!this.listener.hasReached(position, MODELS)) return;
      this.confirmed.delete(subject);
    }
  }

  /** A farmer about whom reports never cease is never shown as a whole, so its streams are dropped one by one. */
  private dropShownStreams(farmer: Subject): void {
    const { streams } = this.confirmed.get(farmer) ?? {};
    for (const [stream, position] of streams ?? []) if (this.listener.hasReached(position, MODELS)) streams?.delete(stream);
  }
}
