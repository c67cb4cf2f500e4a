import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Callers match on these codes, so they must not change. */
export type StatementRejectionCode = 'statement_unknown';
export class StatementRejection extends Rejection<StatementRejectionCode> {}

/** A calendar month in UTC. */
export interface Month {
  /** Year and month, such as 2026-03. */
  readonly name: string;
  /** The first moment of the month, ISO 8601. */
  readonly from: string;
  /** The first moment of the next month, ISO 8601. */
  readonly until: string;
}

/** Regular expression of the name of a month. */
export const MONTH_PATTERN = String.raw`^((?:19|20|21)\d{2})-(0[1-9]|1[0-2])$`;
const FIRST_MONTH = '1900-01';
const MONTH = new RegExp(MONTH_PATTERN);

/** Returns the month of a name such as 2026-03, or undefined if it does not name a month from 1900 to 2199. */
export function monthOf(name: string): Month | undefined {
  const [, year, month] = MONTH.exec(name) ?? [];
  if (year === undefined || month === undefined) return undefined;
  const first = (offset: number): string => new Date(Date.UTC(Number(year), Number(month) - 1 + offset)).toISOString();
  return { name, from: first(0), until: first(1) };
}

/** Milliseconds that a process's clock may be behind this one's without dating an entry in a month that is closed. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** Returns the month that follows. */
export function monthAfter({ until }: Month): Month {
  return monthAt(until.slice(0, 'yyyy-mm-dd'.length));
}

/** Returns the month of a day or a time, ISO 8601 in UTC: the first month of 1900 for earlier ones. @throws RangeError after the year 2199 */
export function monthAt(day: string): Month {
  const month = monthOf(day < FIRST_MONTH ? FIRST_MONTH : day.slice(0, 'yyyy-mm'.length));
  if (!month) throw new RangeError(`${day} is in no month until the year 2199.`);
  return month;
}

/** Returns the moment, ISO 8601, from which no clock can be so far behind that it dates another entry in the month. */
export function closableFrom({ until }: Month): string {
  return new Date(new Date(until).getTime() + CLOCK_TOLERANCE_MS).toISOString();
}

/** Returns the month before another. */
export function monthBefore({ from }: Month): Month {
  const name = new Date(Date.parse(from) - 1).toISOString().slice(0, 7);
  return { name, from: `${name}-01T00:00:00.000Z`, until: from };
}
