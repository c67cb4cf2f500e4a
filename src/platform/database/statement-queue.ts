/** Milliseconds after which a running statement no longer holds up the next one. */
const SLOW_MS = 20;

/**
 * Runs a DataLoader's statements one after another. The next statement starts when the previous one has ended or has run for 20 ms.
 * Keys that arrive meanwhile join its batch, because one large statement is much cheaper than several small ones.
 */
export class StatementQueue {
  /** Running statements that still hold up the next one. */
  private blocking = 0;
  private readonly waiting: (() => void)[] = [];

  /** Schedules a batch; to be passed to the DataLoader as `batchScheduleFn`. */
  readonly schedule = (start: () => void): void => {
    if (this.blocking === 0) setImmediate(start);
    else this.waiting.push(start);
  };

  /** Runs a batch's statement. The whole batch function must be inside, because a failure outside would block the next batch for ever. */
  async run<T>(statement: () => Promise<T>): Promise<T> {
    this.blocking += 1;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      this.blocking -= 1;
      this.waiting.shift()?.();
    };
    const slow = setTimeout(release, SLOW_MS);
    try {
      return await statement();
    } finally {
      clearTimeout(slow);
      release();
    }
  }
}
