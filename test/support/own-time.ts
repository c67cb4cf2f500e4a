/** Milliseconds between two ticks of this process. */
const TICK_MS = 100;

/**
 * Runs work that is aborted after a time in which this process runs. A timer of the system also counts the time in which this process is
 * paused, so that it ends the work of a peer that had no chance to be heard.
 */
export async function withinOwnTime<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = new AbortController();
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
    if (ticks * TICK_MS >= ms) late.abort(new Error(`There was no response within ${ms / 1_000} s.`));
  }, TICK_MS);
  try {
    return await work(late.signal);
  } finally {
    clearInterval(timer);
  }
}
