/** A scrape gets its response even if a store hangs. */
const STORE_TIMEOUT_MS = 2_000;

/** Returns undefined if the work fails or takes too long. */
export async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => {
    late.resolve(undefined);
  }, STORE_TIMEOUT_MS);
  try {
    return await Promise.race([work.catch(() => undefined), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
