import { Clock } from '../../src/kernel/clock.js';
import { type Scheduler } from './scheduler.js';

/** The time at which every history begins: 2026-11-21T10:00:00Z. */
const EPOCH_MS = Date.UTC(2026, 10, 21, 10);

/** Longer than the age from which a charge is stale (src/contexts/wallet/stale-charges.ts). */
const HINDERED_WITHIN_MS = 70_000;
/** A failed call costs a process some seconds; this many may cost it the minute until the sweep. */
const HINDERING_FAILED_CALLS = 4;

type WakeUp = 'timer' | 'message';

/**
 * A process of the service, as the operating system sees it. After it is killed, its promises stay pending for ever. While it is paused,
 * its timers and messages are queued; when it resumes, expired timers run before messages, as in Node's event loop.
 */
export class SimulatedProcess {
  readonly clock: Clock;
  private alive = true;
  private paused = false;
  private readonly failedCallsAt: number[] = [];
  private readonly interruptedAt: number[] = [];
  private readonly queued: { kind: WakeUp; run: () => void }[] = [];

  /** @param skewMs Milliseconds by which its clock is ahead of the database's clock. */
  constructor(
    readonly name: string,
    private readonly scheduler: Scheduler,
    skewMs: number,
  ) {
    this.clock = new SimulatedClock(scheduler, skewMs, this);
  }

  kill(): void {
    this.alive = false;
    this.interruptedAt.push(this.scheduler.now);
  }

  pause(): void {
    this.paused = true;
    this.interruptedAt.push(this.scheduler.now);
  }

  resume(): void {
    this.paused = false;
    const queued = this.queued.splice(0);
    for (const kind of ['timer', 'message'] as const) {
      for (const each of queued.filter((one) => one.kind === kind)) this.scheduler.after(0, each.run);
    }
  }

  /** Records that a call of this process to the event store failed. */
  recordFailedCall(): void {
    this.failedCallsAt.push(this.scheduler.now);
  }

  /** Returns whether failures may have kept the process from settling, before the sweep, a charge whose response it sent at `time`. */
  wasHinderedAt(time: number): boolean {
    const lost = this.interruptedAt.some((at) => at >= time && at <= time + HINDERED_WITHIN_MS);
    return (
      lost || this.failedCallsAt.filter((at) => at >= time - 10_000 && at <= time + HINDERED_WITHIN_MS).length >= HINDERING_FAILED_CALLS
    );
  }

  /** Runs a timer or message of the process, or queues it while the process is paused. A killed process drops it. */
  deliver(kind: WakeUp, run: () => void): void {
    if (!this.alive) return;
    if (this.paused) this.queued.push({ kind, run });
    else run();
  }
}

class SimulatedClock extends Clock {
  constructor(
    private readonly scheduler: Scheduler,
    private readonly skewMs: number,
    private readonly process: SimulatedProcess,
  ) {
    super();
  }

  override now(): Date {
    return new Date(EPOCH_MS + this.scheduler.now + this.skewMs);
  }

  override async delay(ms: number, signal?: AbortSignal): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        reject(signal?.reason as Error);
      };
      if (signal?.aborted) {
        onAbort();
        return;
      }
      signal?.addEventListener('abort', onAbort, { once: true });
      this.scheduler.after(ms, () => {
        this.process.deliver('timer', resolve);
      });
    });
  }

  override after(ms: number, call: () => void): () => void {
    let cancelled = false;
    this.scheduler.after(ms, () => {
      if (!cancelled) this.process.deliver('timer', call);
    });
    return () => {
      cancelled = true;
    };
  }
}
