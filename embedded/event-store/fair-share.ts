import { setImmediate as nextTurn } from 'node:timers/promises';
import { SLICE_MS } from './limits.js';

/** For long loops: other calls get their turn, however long each round takes. */
export class Turns {
  private since = performance.now();

  /** @returns whether it is time for {@link give}: nothing to wait for costs nothing. */
  get due(): boolean {
    return performance.now() - this.since > SLICE_MS;
  }

  async give(): Promise<void> {
    await nextTurn();
    this.since = performance.now();
  }
}
