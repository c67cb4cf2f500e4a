import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 25;

/** Waits for a condition, not for a time; the test's own limit ends it. */
export async function until<T>(condition: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  for (;;) {
    const found = await condition();
    if (found !== undefined && found !== false) return found;
    await delay(POLL_MS);
  }
}
