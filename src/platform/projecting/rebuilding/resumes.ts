import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailable } from '../../event-sourcing/event-store.js';

export interface ResumeLimits {
  /** Times that a read is resumed without having read anything in between. */
  readonly most: number;
  /** Milliseconds before each of them. */
  readonly pauseMs: number;
}

/** Decides whether a long read of the log goes on after its connection to the event store broke. */
export class Resumes {
  private made = 0;

  constructor(
    private readonly signal: AbortSignal | undefined,
    private readonly limits: ResumeLimits = { most: 20, pauseMs: 500 },
  ) {}

  /** Notes that something was read. */
  progressed(): void {
    this.made = 0;
  }

  /** Waits until the read may be resumed. @throws the error if resuming cannot help or did not, the signal's reason once it is aborted */
  async after(error: unknown): Promise<void> {
    if (!(error instanceof StoreUnavailable) || this.made === this.limits.most) throw error;
    this.made += 1;
    await delay(this.limits.pauseMs, undefined, { signal: this.signal }).catch(() => undefined);
    this.signal?.throwIfAborted();
  }
}
