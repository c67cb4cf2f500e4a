import { type Mode } from '../../../kernel/modes.js';

/** The receiver says that it wants no more. */
export const GONE = 410;

/** Decisions, "Webhooks". */
const SANDBOX_ATTEMPTS = 3;
const JITTER = 0.2;
const RETRY_AFTER_SECONDS_MAX = 24 * 60 * 60;

export interface Attempted {
  readonly mode: Mode;
  /** From 1. */
  readonly attempt: number;
  /** undefined where no answer came. */
  readonly status: number | undefined;
  /** The answer's Retry-After. */
  readonly retryAfter: string | undefined;
  readonly at: Date;
}

export type Verdict = { readonly status: 'delivered' | 'exhausted' } | { readonly status: 'failed'; readonly nextAttemptAt: Date };

/**
 * What becomes of a delivery after an attempt. `schedule` holds the seconds to wait before each attempt; `random` is from 0 to 1.
 * A Retry-After makes the wait longer, by a day at most, never shorter.
 */
export function judge({ mode, attempt, status, retryAfter, at }: Attempted, schedule: readonly number[], random: number): Verdict {
  if (status !== undefined && status >= 200 && status <= 299) return { status: 'delivered' };
  if (status === GONE) return { status: 'exhausted' };
  const attempts = mode === 'sandbox' ? Math.min(schedule.length, SANDBOX_ATTEMPTS) : schedule.length;
  const wait = schedule[attempt];
  if (wait === undefined || attempt >= attempts) return { status: 'exhausted' };
  const jittered = wait * (1 - JITTER + 2 * JITTER * random);
  const seconds = Math.max(jittered, Math.min(secondsOf(retryAfter, at), RETRY_AFTER_SECONDS_MAX));
  return { status: 'failed', nextAttemptAt: new Date(at.getTime() + seconds * 1_000) };
}

/** RFC 9110: seconds, or a date. 0 for what is neither. */
function secondsOf(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0;
  if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
  const until = Date.parse(retryAfter);
  return Number.isNaN(until) ? 0 : Math.max(0, (until - now.getTime()) / 1_000);
}
