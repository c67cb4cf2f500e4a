import { Clock } from '../../src/kernel/clock.js';
import { type Scheduler } from './scheduler.js';

/** 2026-11-21T10:00:00Z: when every history begins. */
const EPOCH_MS = Date.UTC(2026, 10, 21, 10);

/** Longer than src/contexts/wallet/stale-charges.ts leaves a charge alone. */
const HINDERED_MS = 70_000;
/** One call that does not get through costs some seconds; so many may cost the minute. */
const HINDERING_TROUBLES = 4;

type Wake = 'timer' | 'message';

/**
 * A process of the service, as the operating system sees it. Once it is killed nothing of it goes on: its promises stay pending for
 * ever. While it is stopped everything waits; on waking, timers that ran out go before messages that came, as in Node's event loop.
 */
export class SimulatedProcess {
  readonly clock: Clock;
  private alive = true;
  private stopped = false;
  private readonly troubles: number[] = [];
  private readonly losses: number[] = [];
  private readonly held: { kind: Wake; run: () => void }[] = [];

  /** @param skewMs What its clock is ahead of the database's. */
  constructor(
    readonly name: string,
    private readonly scheduler: Scheduler,
    skewMs: number,
  ) {
    this.clock = new SimulatedClock(scheduler, skewMs, this);
  }

  kill(): void {
    this.alive = false;
    this.losses.push(this.scheduler.now);
  }

  stop(): void {
    this.stopped = true;
    this.losses.push(this.scheduler.now);
  }

  wake(): void {
    this.stopped = false;
    const held = this.held.splice(0);
    for (const kind of ['timer', 'message'] as const) {
      for (const each of held.filter((one) => one.kind === kind)) this.scheduler.after(0, each.run);
    }
  }

  /** A call of it did not get through to the log. */
  trouble(): void {
    this.troubles.push(this.scheduler.now);
  }

  /** Whether anything kept it from doing within the sweep's minute what it had to do at `time`. */
  hinderedAt(time: number): boolean {
    const lost = this.losses.some((at) => at >= time && at <= time + HINDERED_MS);
    return lost || this.troubles.filter((at) => at >= time - 10_000 && at <= time + HINDERED_MS).length >= HINDERING_TROUBLES;
  }

  /** Lets the process see something, if it is there to see it. */
  deliver(kind: Wake, run: () => void): void {
    if (!this.alive) return;
    if (this.stopped) this.held.push({ kind, run });
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
      const aborted = (): void => {
        reject(signal?.reason as Error);
      };
      if (signal?.aborted) {
        aborted();
        return;
      }
      signal?.addEventListener('abort', aborted, { once: true });
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
