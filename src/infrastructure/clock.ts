import { setTimeout as delay } from 'node:timers/promises';

/** Now, as events and answers write it: ISO 8601 in UTC, milliseconds. And every wait that decides what happens to money. */
export abstract class Clock {
  abstract now(): Date;

  iso(): string {
    return this.now().toISOString();
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
