import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds between two polls: a twentieth of the time that the wait has taken so far, within these bounds. */
const POLL_MS = { min: 25, max: 250 };
const POLLS_A_WAIT = 20;

/**
 * Polls until the condition returns a value; the test's own timeout ends the wait. A long wait polls less often, because each poll takes
 * processor time that the service under test and the other tests need.
 */
export async function until<T>(condition: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  const began = performance.now();
  for (;;) {
    const found = await condition();
    if (found !== undefined && found !== false) return found;
    await delay(Math.min(Math.max(POLL_MS.min, (performance.now() - began) / POLLS_A_WAIT), POLL_MS.max));
  }
}
