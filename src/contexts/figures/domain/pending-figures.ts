import { COUNTED, type Counts, countsBy, MINUTE_MS, NO_COUNTS, sumOf } from './figures.js';

/** Minutes of counts that a process holds while the database does not respond. The oldest is given up for the next one. */
const MAX_MINUTES = 1_440;

interface MinuteCounts {
  readonly minuteMs: number;
  readonly counts: Counts;
}

/** Counts that are written together. A batch keeps its number and its content until it is known to be written. */
export interface Batch {
  /** Ascending in a process, so that a batch that was written, although its response got lost, is not added twice. */
  readonly number: number;
  /** Oldest first. */
  readonly minutes: readonly MinuteCounts[];
}

/** Holds what a process has counted and not written yet, by the minute of the database's clock in which it happened. */
export class PendingFigures {
  private read = NO_COUNTS;
  private readAtMs: number | undefined;
  private minutes = new Map<number, Counts>();
  private next = 1;
  private unconfirmed: Batch | undefined;

  /**
   * Adds what has been counted since the previous reading, to the minute of that reading: readings are taken as each minute ends.
   * @param totals counters of this process since its start
   * @param nowMs the database's time
   */
  note(totals: Counts, nowMs: number): void {
    const since = this.readAtMs ?? nowMs;
    const increase = countsBy((name) => Math.max(0, totals[name] - this.read[name]));
    [this.read, this.readAtMs] = [totals, nowMs];
    if (COUNTED.every((name) => increase[name] === 0)) return;
    const minuteMs = since - (since % MINUTE_MS);
    this.minutes.set(minuteMs, sumOf([this.minutes.get(minuteMs) ?? NO_COUNTS, increase]));
    if (this.minutes.size > MAX_MINUTES) this.minutes.delete(Math.min(...this.minutes.keys()));
  }

  /** Returns what to write next: the batch before it, until that is known to be written. */
  batch(): Batch {
    if (this.unconfirmed) return this.unconfirmed;
    const minutes = [...this.minutes].map(([minuteMs, counts]) => ({ minuteMs, counts })).sort((a, b) => a.minuteMs - b.minuteMs);
    this.unconfirmed = { number: this.next, minutes };
    this.next += 1;
    this.minutes = new Map();
    return this.unconfirmed;
  }

  written({ number }: Batch): void {
    if (this.unconfirmed?.number === number) this.unconfirmed = undefined;
  }
}
