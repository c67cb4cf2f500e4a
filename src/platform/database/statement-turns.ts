/** A statement that takes longer holds up nobody any more, in ms. */
const SLOW_MS = 20;

/**
 * When a loader's next batch is read: once the statement before it has ended, or proves slow. What comes meanwhile goes along, and one
 * large statement costs much less than several small ones.
 */
export class StatementTurns {
  private waitedFor = 0;
  private readonly waiting: (() => void)[] = [];

  /** A DataLoader's `batchScheduleFn`. */
  readonly schedule = (start: () => void): void => {
    if (this.waitedFor === 0) setImmediate(start);
    else this.waiting.push(start);
  };

  /** Whatever a batch does has to be in here: what fails before would leave the next one waiting. */
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
