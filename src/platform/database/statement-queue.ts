/** Milliseconds after which a running statement no longer holds up the next one. */
const SLOW_MS = 20;

/**
 * Runs a DataLoader's statements one after another: the next batch is read once the statement before it has ended, or proves slow.
 * Keys that arrive meanwhile join that batch, and one large statement costs much less than several small ones.
 */
export class StatementQueue {
  private waitedFor = 0;
  private readonly waiting: (() => void)[] = [];

  /** A DataLoader's `batchScheduleFn`. */
  readonly schedule = (start: () => void): void => {
    if (this.waitedFor === 0) setImmediate(start);
    else this.waiting.push(start);
  };

  /** A batch does all its work in here: a failure outside would leave the next batch waiting. */
  async run<T>(statement: () => Promise<T>): Promise<T> {
    this.waitedFor += 1;
    let isOver = false;
    const pass = (): void => {
      if (isOver) return;
      isOver = true;
      this.waitedFor -= 1;
      this.waiting.shift()?.();
    };
    const slow = setTimeout(pass, SLOW_MS);
    try {
      return await statement();
    } finally {
      clearTimeout(slow);
      pass();
    }
  }
}
