import { setImmediate as nextTurn } from 'node:timers/promises';
import { SLICE_MS } from '../limits.js';

/** The time that a long loop may run before it yields to the event loop, so that other calls are served meanwhile. */
export class TimeSlice {
  private since = performance.now();

  /** Whether it is time to {@link yield}. Asked first, because a promise costs something even when there is nothing to wait for. */
  get isOver(): boolean {
    return performance.now() - this.since > SLICE_MS;
  }

  async yield(): Promise<void> {
    await nextTurn();
    this.since = performance.now();
  }
}
