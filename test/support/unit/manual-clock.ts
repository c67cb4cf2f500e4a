import { Clock } from '../../../src/kernel/clock.js';

/** A clock that does not advance by itself. Its timers run when a test advances it. */
export class ManualClock extends Clock {
  private passedMs = 0;
  private timers: { readonly dueMs: number; readonly call: () => void }[] = [];

  /** @param aheadMs how far the time of day is ahead of the right one; timers and {@link elapsedMs} are right */
  constructor(private readonly aheadMs = 0) {
    super();
  }

  /** The number of timers that wait. */
  get waiting(): number {
    return this.timers.length;
  }

  now(): Date {
    return new Date(Date.UTC(2026, 10, 21, 10) + this.aheadMs + this.passedMs);
  }

  elapsedMs(): number {
    return this.passedMs;
  }

  async delay(ms: number): Promise<void> {
    await new Promise<void>((resolve) => this.after(ms, resolve));
  }

  after(ms: number, call: () => void): () => void {
    const timer = { dueMs: this.passedMs + ms, call };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((each) => each !== timer);
    };
  }

  /** Runs the timers that are due within the next `ms` milliseconds, and all that waits for them. */
  async advance(ms: number): Promise<void> {
    this.passedMs += ms;
    const due = this.timers.filter(({ dueMs }) => dueMs <= this.passedMs);
    this.timers = this.timers.filter((timer) => !due.includes(timer));
    for (const { call } of due) call();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
