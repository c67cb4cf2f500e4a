const DAY_MS = 86_400_000;
/** Whole days before today whose charges, with those of today so far, are the pace at which a wallet is spent. */
const PACE_DAYS = 7;
const WEEK_MS = 7 * DAY_MS;

/** The time over which charges are counted, and how much of a balance they leave for a week. */
export interface Pace {
  /** The first day that is counted (UTC), such as 2026-03-01. */
  readonly from: string;
  /** How many times the charges since then a balance has to be, to last for a week. */
  readonly timesForWeek: number;
}

/** Returns the pace at a moment. @param at ISO 8601, UTC */
export function paceAt(at: string): Pace {
  const from = new Date(Date.parse(at) - PACE_DAYS * DAY_MS).toISOString().slice(0, 10);
  return { from, timesForWeek: WEEK_MS / (Date.parse(at) - Date.parse(from)) };
}

/**
 * Returns when a balance is spent if the charges go on at their pace: at once if there is none.
 * @param spent what was charged since the beginning of the pace and not given back, above 0, in the unit of the balance
 * @returns ISO 8601, UTC
 * @throws RangeError if that is after the last date that there is
 */
export function runsOutAt(at: string, balance: number, spent: number): string {
  const lasts = (Math.max(balance, 0) / spent / paceAt(at).timesForWeek) * WEEK_MS;
  return new Date(Date.parse(at) + lasts).toISOString();
}
