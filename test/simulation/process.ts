import { Clock } from '../../src/kernel/clock.js';
import { type Scheduler } from './scheduler.js';

/** The time at which every history begins: 2026-11-30T23:58:00Z, shortly before the end of a month. */
export const EPOCH_MS = Date.UTC(2026, 10, 30, 23, 58);

/** Longer than a settlement takes while the process can reach the event store. */
const SETTLES_WITHIN_MS = 70_000;
/** A failed call costs a process some seconds; this many may keep it from settling a charge for a long time. */
const HINDERING_FAILED_CALLS = 4;

type WakeUp = 'timer' | 'message';

/**
 * A process of the service, as the operating system sees it. After it is killed, its promises stay pending for ever. While it is paused,
 * its timers and messages are queued; when it resumes, expired timers run before messages, as in Node's event loop.
 */
export class SimulatedProcess {
  readonly clock: SimulatedClock;
  private alive = true;
  private paused = false;
  private hasSession = true;
  private killedAt = Infinity;
  /** When it was paused, or found that the history of its wallet is missing. */
  private readonly hinderedAt: number[] = [];
  private readonly absentAt: number[] = [];
  private readonly failedCallsAt: number[] = [];
  private readonly queued: { kind: WakeUp; run: () => void }[] = [];

  constructor(
    readonly name: string,
    readonly instance: number,
    private readonly scheduler: Scheduler,
    clock: ClockFault,
  ) {
    this.clock = new SimulatedClock(scheduler, clock, this);
  }

  /** Whether the process holds the session of its presence (src/platform/database/instances/instance-presence.ts). */
  get present(): boolean {
    return this.alive && this.hasSession;
  }

  kill(): void {
    this.alive = false;
    this.killedAt = this.scheduler.now;
  }

  pause(): void {
    this.paused = true;
    this.recordHindrance();
  }

  resume(): void {
    this.paused = false;
    const queued = this.queued.splice(0);
    for (const kind of ['timer', 'message'] as const) {
      for (const each of queued.filter((one) => one.kind === kind)) this.scheduler.after(0, each.run);
    }
  }

  /** Records that the process settles nothing for some time. */
  recordHindrance(): void {
    this.hinderedAt.push(this.scheduler.now);
  }

  /** Records that a call of this process to the event store failed, or would have failed. */
  recordFailedCall(): void {
    this.failedCallsAt.push(this.scheduler.now);
  }

  /** Loses the session if the database cannot be reached. A paused process keeps a session that it has, but cannot open a new one. */
  probeSession(reachable: boolean): void {
    if (!reachable) this.hasSession = false;
    else if (!this.paused) this.hasSession = true;
    if (!this.hasSession) this.absentAt.push(this.scheduler.now);
  }

  /**
   * Returns whether nobody could know that the process sent a response at `time`: it was killed before it could settle the charge, or it
   * could not settle it and also seemed to be dead.
   */
  wasLostAt(time: number): boolean {
    const soon = (at: number): boolean => at >= time - 10_000 && at <= time + SETTLES_WITHIN_MS;
    const hindered = this.hinderedAt.some(soon) || this.failedCallsAt.filter(soon).length >= HINDERING_FAILED_CALLS;
    const killed = this.killedAt >= time && this.killedAt < Infinity && (hindered || this.killedAt <= time + SETTLES_WITHIN_MS);
    return killed || (hindered && this.absentAt.some((at) => at >= time));
  }

  /** Runs a timer or message of the process, or queues it while the process is paused. A killed process drops it. */
  deliver(kind: WakeUp, run: () => void): void {
    if (!this.alive) return;
    if (this.paused) this.queued.push({ kind, run });
    else run();
  }
}

/** How far a clock is wrong. */
export interface ClockFault {
  /** Milliseconds by which the wall clock is ahead of the true time. */
  readonly skewMs: number;
  /** Milliseconds that the clocks gain in each millisecond. */
  readonly drift: number;
}

class SimulatedClock extends Clock {
  private skewMs: number;
  private readonly drift: number;

  constructor(
    private readonly scheduler: Scheduler,
    { skewMs, drift }: ClockFault,
    private readonly process: SimulatedProcess,
  ) {
    super();
    [this.skewMs, this.drift] = [skewMs, drift];
  }

  /** Sets the wall clock forward or back, as an operator or NTP does. */
  step(ms: number): void {
    this.skewMs += ms;
  }

  /** Sets the wall clock to the true time, as NTP does every few minutes. From then on it drifts again. */
  correct(): void {
    this.skewMs = this.scheduler.time - this.elapsedMs();
  }

  override now(): Date {
    return new Date(EPOCH_MS + this.elapsedMs() + this.skewMs);
  }

  override elapsedMs(): number {
    return this.scheduler.time * (1 + this.drift);
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
