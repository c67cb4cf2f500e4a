import { type OnApplicationShutdown } from '@nestjs/common';
import { type Clock } from '../../kernel/clock.js';
import { type Counts, type Levels, MINUTE_MS } from './domain/figures.js';
import { PendingFigures } from './domain/pending-figures.js';
import { type FigureTable, type Writer } from './figure-table.js';

const EVERY_MS = 5_000;
/** Milliseconds after the end of a minute at which it is read, so that a timer that fires early does not read the minute before it is over. */
const AFTER_MINUTE_MS = 5;
const PRUNE_EVERY_MS = 3_600_000;
/** A stop waits no longer for the last counts. */
const LAST_WORDS_MS = 1_000;

interface RecorderParts {
  readonly table: Pick<FigureTable, 'record' | 'recordLevels' | 'leave' | 'prune'>;
  readonly clock: Clock;
  readonly writer: Writer;
  /** Returns the counters of this thread since its start. */
  counts(this: void): Promise<Counts>;
  /** Reads the levels from the stores. */
  levels(this: void): Promise<Levels>;
}

/**
 * Writes every five seconds what this thread has counted (docs/adr/0064): one small statement, beside the requests. A failure is nobody's
 * trouble, because the counts are written by a later statement; that the database does not respond is reported by others.
 */
export class FigureRecorder implements OnApplicationShutdown {
  private readonly pending = new PendingFigures();
  private cancelTimer: (() => void) | undefined;
  private started = false;
  private stopped = false;
  private writing: Promise<void> | undefined;
  /** The database's time at a moment of this process' stopwatch; undefined until the database has told it. */
  private known: { readonly nowMs: number; readonly elapsedMs: number } | undefined;
  private prunedAtMs = -Infinity;

  constructor(private readonly parts: RecorderParts) {}

  /** Writes now and every five seconds, and as each minute ends. */
  start(): void {
    this.started = true;
    void this.tick();
  }

  /** Writes the last counts and that the process ends, within a second. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.cancelTimer?.();
    const { promise: late, resolve } = Promise.withResolvers<undefined>();
    const cancel = this.parts.clock.after(LAST_WORDS_MS, () => {
      resolve(undefined);
    });
    await Promise.race([this.lastWords().catch(() => undefined), late]);
    cancel();
  }

  /** The application calls it once its last request has ended. */
  async onApplicationShutdown(): Promise<void> {
    if (this.started) await this.stop();
  }

  private async tick(): Promise<void> {
    await this.note();
    this.writing ??= this.write()
      .catch(() => undefined)
      .finally(() => {
        this.writing = undefined;
      });
    if (!this.stopped) this.cancelTimer = this.parts.clock.after(this.nextMs(), () => void this.tick());
  }

  private async note(): Promise<void> {
    const counts = await this.parts.counts();
    const nowMs = this.databaseMs();
    // Without the database's time, the counts wait in their counters.
    if (nowMs !== undefined) this.pending.note(counts, nowMs);
  }

  private async write(): Promise<void> {
    const { table, clock, writer, levels } = this.parts;
    const batch = this.pending.batch();
    const before = clock.elapsedMs();
    const { nowMs, levelsDue } = await table.record(writer, batch);
    this.pending.written(batch);
    const after = clock.elapsedMs();
    this.known = { nowMs, elapsedMs: (before + after) / 2 };
    if (this.stopped) return;
    if (levelsDue) await table.recordLevels(await levels());
    if (after - this.prunedAtMs < PRUNE_EVERY_MS) return;
    this.prunedAtMs = after;
    await table.prune();
  }

  private async lastWords(): Promise<void> {
    await this.writing;
    await this.note();
    await this.write();
    await this.parts.table.leave(this.parts.writer);
  }

  private databaseMs(): number | undefined {
    return this.known && this.known.nowMs + this.parts.clock.elapsedMs() - this.known.elapsedMs;
  }

  private nextMs(): number {
    const nowMs = this.databaseMs();
    return nowMs === undefined ? EVERY_MS : Math.min(EVERY_MS, MINUTE_MS - (nowMs % MINUTE_MS) + AFTER_MINUTE_MS);
  }
}
