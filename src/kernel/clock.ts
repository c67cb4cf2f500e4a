/** Provides the time and every wait that affects money, so that tests and the simulation can replace it. */
export abstract class Clock {
  private formatted = { ms: NaN, text: '' };

  abstract now(): Date;

  /** Milliseconds since some moment in the past. Unlike {@link now}, it never steps: use it to measure how much time has passed. */
  abstract elapsedMs(): number;

  /** Waits `ms` milliseconds. @throws AbortError once the signal is aborted. */
  abstract delay(ms: number, signal?: AbortSignal): Promise<void>;

  /** Calls the function once after `ms` milliseconds. Returns a function that cancels the call. */
  abstract after(ms: number, call: () => void): () => void;

  /**
   * Returns the time in the format of events and responses: ISO 8601 in UTC with milliseconds. The text is cached for the current
   * millisecond, because a request needs it several times.
   */
  iso(): string {
    const now = this.now();
    if (now.getTime() !== this.formatted.ms) this.formatted = { ms: now.getTime(), text: now.toISOString() };
    return this.formatted.text;
  }
}
