const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;

/** The longest `Retry-After` that the client waits for by itself. It throws the error of a response that asks for more. */
export const LONGEST_RETRY_AFTER_MS = 60_000;

/**
 * Returns the milliseconds to wait before another attempt, after `failures` failed ones. The delay doubles with each failure up to 8 s; the
 * upper half of it is random, so that clients that failed together do not retry together. It is never shorter than `retryAfterMs`.
 *
 * @param random returns a number from 0 up to 1
 */
export function delayBeforeRetry(failures: number, retryAfterMs: number | null, random: () => number): number {
  const delay = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (failures - 1));
  const jittered = delay / 2 + (delay / 2) * random();
  if (retryAfterMs === null) return jittered;
  return Math.max(jittered, retryAfterMs + (FIRST_DELAY_MS / 2) * random());
}

/** Parses a `Retry-After`, which is a number of seconds or a date, to milliseconds from `now`. Returns null if there is none or it is neither. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  const text = value?.trim() ?? '';
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  // Date.parse takes much that is no HTTP date, such as a negative number of seconds.
  const date = /^[A-Z][a-z]{2}, /.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** Statuses after which the same request may succeed. 502 and 504 come from proxies in front of the service. */
const RETRYABLE_STATUSES: readonly number[] = [408, 429, 500, 502, 503, 504];

/** Returns whether the same request may succeed later. */
export function isRetryable(status: number, code: string | undefined): boolean {
  return RETRYABLE_STATUSES.includes(status) || code === 'idempotency_in_progress';
}

/** Waits, or rejects with the reason of the signal when it is aborted. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
