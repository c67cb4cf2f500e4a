import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;

/** Polls until the condition returns a value; the test's own timeout ends the wait. */
export async function until<T>(condition: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  for (;;) {
    const found = await condition();
    if (found !== undefined && found !== false) return found;
    await delay(POLL_MS);
  }
}
