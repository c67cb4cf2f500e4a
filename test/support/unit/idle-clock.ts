import { Clock } from '../../../src/kernel/clock.js';

/** Time passes only while nothing else can happen. */
export class IdleClock extends Clock {
  private ms = 0;

  override now(): Date {
    return new Date(this.ms);
  }

  override elapsedMs(): number {
    return this.ms;
  }

  override async delay(ms: number): Promise<void> {
    await new Promise<void>((resolve) => this.after(ms, resolve));
  }

  override after(ms: number, call: () => void): () => void {
    const timer = setImmediate(() => {
      this.ms += ms;
      call();
    });
    return () => {
      clearImmediate(timer);
    };
  }
}
