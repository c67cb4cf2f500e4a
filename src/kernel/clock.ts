/** The present moment, and every wait that decides what happens to money. Tests and the simulation bring clocks of their own. */
export abstract class Clock {
  private written = { ms: NaN, text: '' };

  abstract now(): Date;

  /** Waits `ms` milliseconds. @throws AbortError once the signal is aborted. */
  abstract delay(ms: number, signal?: AbortSignal): Promise<void>;

  /** Calls once after `ms` milliseconds, unless the function it returns is called before. */
  abstract after(ms: number, call: () => void): () => void;

  /** Now as events and responses write it: ISO 8601 in UTC, milliseconds. The text is made once a millisecond: a request asks for it several times. */
  iso(): string {
    const now = this.now();
    if (now.getTime() !== this.written.ms) this.written = { ms: now.getTime(), text: now.toISOString() };
    return this.written.text;
  }
}
