import { type Finding, warning } from './finding.js';

/** The day after which a major version of PostgreSQL gets no fixes (postgresql.org/support/versioning). Newer ones follow the same rule. */
const POSTGRES_ENDS: Readonly<Record<number, string>> = {
  14: '2026-11-12',
  15: '2027-11-11',
  16: '2028-11-09',
  17: '2029-11-08',
  18: '2030-11-14',
};
/** The vendor of EventStoreDB supports a release for two years at most. */
const EVENT_STORE_YEARS = 2;
/** Versions before 25 are a year and a month; since then the second number only counts the releases of a year. */
const LAST_MONTHLY_YEAR = 24;

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

/** @param version such as 24.10.0; another form is not judged @param nowMs ms since 1970 */
export function eventStoreSupport(version: string, nowMs: number): readonly Finding[] {
  const [, year, release] = /^(\d\d)\.(\d{1,2})\b/.exec(version) ?? [];
  if (year === undefined || release === undefined) return [];
  // Releases of a year without a month are taken for its last day, so that the warning never comes too early.
  const month = Number(year) <= LAST_MONTHLY_YEAR ? Number(release) : 12;
  const end = Date.UTC(2_000 + Number(year) + EVENT_STORE_YEARS, month, 1);
  if (nowMs < end) return [];
  return [
    warning(
      'event store, support',
      `version ${version} was released more than ${EVENT_STORE_YEARS} years ago, and its vendor supports it no longer`,
      'Run npm run test:store on a newer version, then upgrade (docs/event-stores.md).',
    ),
  ];
}
