import { setTimeout as delay } from 'node:timers/promises';
import { Clock } from '../kernel/clock.js';

/** A clock with the system's time and timers. */
export class SystemClock extends Clock {
  override now(): Date {
    return new Date();
  }

  override elapsedMs(): number {
    return performance.now();
  }

  override async delay(ms: number, signal?: AbortSignal): Promise<void> {
    await delay(ms, undefined, signal ? { signal } : {});
  }

  override after(ms: number, call: () => void): () => void {
    const timer = setTimeout(call, ms);
    return () => {
      clearTimeout(timer);
    };
  }
}
