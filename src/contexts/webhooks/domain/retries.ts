import { type Mode } from '../../../kernel/accounts.js';

/** The status with which a receiver asks for no further deliveries. */
export const GONE = 410;

/** Limits from the specification (decisions, "Webhooks"). */
const SANDBOX_ATTEMPTS = 3;
const JITTER = 0.2;
const RETRY_AFTER_SECONDS_MAX = 24 * 60 * 60;

export interface Attempted {
  readonly mode: Mode;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  /** Status of the response; undefined if there was none. */
  readonly status: number | undefined;
  /** Value of the response's Retry-After header. */
  readonly retryAfter: string | undefined;
  readonly at: Date;
}

export type AttemptEvaluation =
  { readonly status: 'delivered' | 'exhausted' } | { readonly status: 'failed'; readonly nextAttemptAt: Date };

/**
 * Returns whether a delivery is delivered, retried or exhausted after an attempt. `schedule` holds the seconds to wait before each attempt;
 * `random` is between 0 and 1. A Retry-After can only lengthen the wait, to a day at most.
 */
export function evaluateAttempt(
  { mode, attempt, status, retryAfter, at }: Attempted,
  schedule: readonly number[],
  random: number,
): AttemptEvaluation {
  if (status !== undefined && status >= 200 && status <= 299) return { status: 'delivered' };
  if (status === GONE) return { status: 'exhausted' };
  const attempts = mode === 'sandbox' ? Math.min(schedule.length, SANDBOX_ATTEMPTS) : schedule.length;
  const wait = schedule[attempt];
  if (wait === undefined || attempt >= attempts) return { status: 'exhausted' };
  const jittered = wait * (1 - JITTER + 2 * JITTER * random);
  const seconds = Math.max(jittered, Math.min(secondsOf(retryAfter, at), RETRY_AFTER_SECONDS_MAX));
  return { status: 'failed', nextAttemptAt: new Date(at.getTime() + seconds * 1_000) };
}

/** Returns the seconds that a Retry-After asks for (RFC 9110: seconds or a date); 0 if it is missing or malformed. */
function secondsOf(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0;
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const until = Date.parse(retryAfter);
  return Number.isNaN(until) ? 0 : Math.max(0, (until - now.getTime()) / 1_000);
}
