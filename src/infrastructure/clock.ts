import { setTimeout as delay } from 'node:timers/promises';

/** Now, as events and answers write it: ISO 8601 in UTC, milliseconds. And every wait that decides what happens to money. */
export abstract class Clock {
  private written = { ms: NaN, text: '' };

  abstract now(): Date;

  /** Asked for several times a request, and written once a millisecond. */
  iso(): string {
    const now = this.now();
    if (now.getTime() !== this.written.ms) this.written = { ms: now.getTime(), text: now.toISOString() };
    return this.written.text;
  }

  /** @throws AbortError once the signal is aborted. */
  async delay(ms: number, signal?: AbortSignal): Promise<void> {
    await delay(ms, undefined, signal ? { signal } : {});
  }

  /** Calls once after so many ms, unless what it answers is called before. */
  after(ms: number, call: () => void): () => void {
    const timer = setTimeout(call, ms);
    return () => {
      clearTimeout(timer);
    };
  }
}

export class SystemClock extends Clock {
  override now(): Date {
    return new Date();
  }
}
