import { type FieldErrors } from '../../../kernel/validation-failed.js';

/** Days (UTC), both included. Default: from the beginning of the books, to today. */
export interface DayPeriod {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** Days before and after all entries. */
export const FIRST_DAY = '0001-01-01';
export const LAST_DAY = '9999-12-31';

const DAY_MS = 86_400_000;

/** The days `from` and `to` (UTC), both included; or everything up to `at`, a timestamp or the end of a day. Default: up to now. */
export interface BooksPeriod extends DayPeriod {
  readonly at?: string | undefined;
}

/** Returns what is wrong with a period: `at` goes with neither day, and the days are in order (finance, "Reports"). */
export function periodProblems({ from, to, at }: BooksPeriod): FieldErrors {
  if (at != null && (from != null || to != null))
    return { at: ['The at field goes with neither from nor to: it counts everything up to a moment.'] };
  return from != null && to != null && from > to ? { to: ['The to field must not be before from.'] } : {};
}

/** Returns the moment of a timestamp, or the last millisecond of a date. Entries are dated in whole milliseconds. */
export function momentOf(at: string): string {
  return at.includes('T') ? new Date(at).toISOString() : `${at}T23:59:59.999Z`;
}

export function dayBefore(day: string): string {
  return new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10);
}
