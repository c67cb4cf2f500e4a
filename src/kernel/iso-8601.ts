const TIME = String.raw`[Tt](?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?`;
const OFFSET = String.raw`(?:[Zz]|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)`;
/** Takes a time without an offset, too, so that it can be told apart from other texts. */
const DATE = new RegExp(String.raw`^(\d{4})-(\d{2})-(\d{2})(?<time>${TIME})?(?<offset>${OFFSET})?$`);
/** Regular expression of every text that {@link isDate8601} accepts. It accepts days that no month has, and years before 1900. */
export const DATE_8601_PATTERN = String.raw`^\d{4}-\d{2}-\d{2}(?:${TIME}${OFFSET})?$`;
/** A timestamp whose + has become a space, which is what + stands for in a query (WHATWG URL, "application/x-www-form-urlencoded"). */
const UNSIGNED = new RegExp(String.raw`^\d{4}-\d{2}-\d{2}${TIME} (?:0\d|1[0-4])(?::?[0-5]\d)?$`);
const FIRST_YEAR = 1900;
/** The last year of most fields. */
const LAST_YEAR = 2199;
/** The Gregorian calendar repeats after so many years. JavaScript's Date takes years below 100 for those of the 20th century. */
const CALENDAR_YEARS = 400;

/** Returns whether the text is an existing ISO 8601 date, or a timestamp with an offset, from 1900 to 2199. */
export function isDate8601(text: string): boolean {
  return dateProblem(text) === undefined;
}

/**
 * Returns a date or timestamp in the notation that JavaScript and PostgreSQL both read, T and Z in upper case and an offset with its minutes,
 * and any other text as it is.
 */
export function canonicalDate(text: string): string {
  const { time, offset } = DATE.exec(text)?.groups ?? {};
  if (time === undefined || offset === undefined) return text;
  return `${text.slice(0, -offset.length).toUpperCase()}${offset.length === '+01'.length ? `${offset}:00` : offset.toUpperCase()}`;
}

const NO_DATE = 'must be an ISO 8601 date or timestamp';

/** Returns what is wrong with the text as a date or timestamp, as the end of a sentence; undefined if {@link isDate8601} accepts it. */
export function dateProblem(text: string, lastYear = LAST_YEAR): string | undefined {
  if (UNSIGNED.test(text)) return 'must have + or - before its offset; in a URL, + is written %2B';
  const parts = DATE.exec(text);
  const [year = NaN, month = NaN, day = NaN] = (parts ?? []).slice(1, 4).map(Number);
  const { time, offset } = parts?.groups ?? {};
  if (!exists(year, month, day) || (offset !== undefined && time === undefined)) return NO_DATE;
  if (time !== undefined && offset === undefined) return 'must have an offset after its time, such as Z or +01:00';
  if (year < FIRST_YEAR) return `must not be before ${FIRST_YEAR}`;
  return year > lastYear ? `must not be after ${lastYear}` : undefined;
}

function exists(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(2000 + (year % CALENDAR_YEARS), month - 1, day));
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** Regular expression of every text that {@link dayProblem} accepts. It accepts days that no month has, and years before 1900. */
export const DAY_PATTERN = String.raw`^\d{4}-\d{2}-\d{2}$`;
const DAY_CHARACTERS = 'yyyy-mm-dd'.length;

/** Returns what is wrong with the text as a day, from 1900 to 2199, as the end of a sentence; undefined if it is one. */
export function dayProblem(text: string): string | undefined {
  const problem = dateProblem(text);
  return problem === NO_DATE || text.length > DAY_CHARACTERS ? 'must be a day such as 2026-03-31' : problem;
}
