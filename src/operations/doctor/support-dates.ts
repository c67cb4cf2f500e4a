import { type Finding, warning } from './finding.js';

/** The day of the last release of a major version of PostgreSQL (postgresql.org/support/versioning, read in November 2026). */
const POSTGRES_ENDS: Readonly<Record<number, string>> = {
  14: '2026-11-12',
  15: '2027-11-11',
  16: '2028-11-09',
  17: '2029-11-08',
  18: '2030-11-14',
};
/** EventStoreDB's releases until 24.10 are a year and a month. A release of October has long-term support. */
const LAST_EVENT_STORE_YEAR = 24;
const LONG_TERM_MONTH = 10;
/**
 * Months after the release: 24 for one with long-term support, and until the next release for another one, which came after four
 * (eventstore.com/eventstoredb-long-term-support-and-release-schedule; docs.kurrent.io/server/v25.0/release-schedule, which names October
 * 2025 and October 2026 as the last months of 23.10 and 24.10).
 */
const LONG_TERM_MONTHS = 24;
const SHORT_TERM_MONTHS = 4;
/**
 * The day on which the next release of KurrentDB ended the support of one (docs.kurrent.io/server/v25.0/release-schedule and
 * kurrent.io/releases). 26.0 and later are not here: of a release with long-term support only the shortest time is published, two years,
 * which 26.0 reaches in January 2028 (docs.kurrent.io/server/v26.0/release-schedule), and a newer one ends when the next is released.
 */
const KURRENT_ENDS: Readonly<Record<string, string>> = { '25.0': '2025-10-21', '25.1': '2026-01-26' };

/** @param version the number that PostgreSQL reports, such as 180006 @param nowMs ms since 1970 */
export function postgresSupport(version: number, nowMs: number): readonly Finding[] {
  const major = Math.floor(version / 10_000);
  const end = POSTGRES_ENDS[major];
  if (end === undefined || nowMs <= Date.parse(end)) return [];
  return [
    warning(
      'PostgreSQL, support',
      `the support of version ${major} ended on ${end}`,
      'Upgrade PostgreSQL: it gets no security fixes any more.',
    ),
  ];
}

/** @param version such as 24.10.0; another form, or one whose end is not published, is not judged @param nowMs ms since 1970 */
export function eventStoreSupport(version: string, nowMs: number): readonly Finding[] {
  const [release, year, number] = /^(\d\d)\.(\d{1,2})\b/.exec(version) ?? [];
  if (release === undefined) return [];
  const end = Number(year) > LAST_EVENT_STORE_YEAR ? KURRENT_ENDS[release] : endOfEventStore(Number(year), Number(number));
  if (end === undefined || nowMs < Date.parse(end)) return [];
  return [
    warning(
      'event store, support',
      `the vendor’s support of version ${release} ended on ${end}`,
      'Run npm run test:store on a newer version, then upgrade (docs/event-stores.md).',
    ),
  ];
}

/** Returns the first day without support of the EventStoreDB of a month: one with long-term support keeps it to the end of its last month. */
function endOfEventStore(year: number, month: number): string {
  const [months, wholeMonth] = month === LONG_TERM_MONTH ? [LONG_TERM_MONTHS, 1] : [SHORT_TERM_MONTHS, 0];
  return new Date(Date.UTC(2_000 + year, month - 1 + months + wholeMonth, 1)).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
