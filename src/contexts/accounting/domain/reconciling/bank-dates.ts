import { isDate8601 } from '../../../../kernel/iso-8601.js';

/** The order of day and month in a file’s dates. `known`: a date shows it; otherwise day first is assumed. */
export interface DateOrder {
  readonly order: 'day_first' | 'month_first';
  readonly known: boolean;
}

const CLOCK = String.raw`\d{1,2}[:.]\d{2}(?:[:.]\d{2}(?:[.:]\d+)?)?`;
const TIME = String.raw`(?:[T ,-]+${CLOCK}(?:\s*[AP]M)?(?:Z|\s*[+-]\d{2}:?\d{2})?)?`;
const ISO = new RegExp(`^(\\d{4})([-/.]?)(\\d{1,2})\\2(\\d{1,2})${TIME}$`, 'i');
const NUMERIC = new RegExp(`^(\\d{1,2})([-/. ])(\\d{1,2})\\2(\\d{4}|\\d{2})${TIME}$`, 'i');
const NAMED = new RegExp(`^(\\d{1,2})(?:st|nd|rd|th)?[-/. ]?([a-z]{3,9})\\.?[-/. ,]*(\\d{4}|\\d{2})${TIME}$`, 'i');
const NAME_FIRST = new RegExp(`^([a-z]{3,9})\\.?[-/. ]*(\\d{1,2})(?:st|nd|rd|th)?[-/. ,]+(\\d{4}|\\d{2})${TIME}$`, 'i');
const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];

/**
 * Decides the order of day and month for all dates of a file, from those in which one number is above 12. Day first is assumed if none is,
 * or if they contradict each other, as Nigerian banks write it.
 */
export function dateOrder(texts: readonly string[]): DateOrder {
  let [dayFirst, monthFirst] = [false, false];
  for (const text of texts) {
    const [, first, , second] = NUMERIC.exec(compact(text)) ?? [];
    dayFirst ||= Number(first) > 12;
    monthFirst ||= Number(second) > 12;
  }
  return { order: monthFirst && !dayFirst ? 'month_first' : 'day_first', known: dayFirst || monthFirst };
}

/** Returns whether the order of day and month matters for the text. */
export function needsOrder(text: string): boolean {
  return NUMERIC.test(compact(text));
}

/** Returns a date as yyyy-mm-dd, without its time; undefined if the text is none. A year of two digits is one from 2000 to 2099. */
export function bankDate(text: string, order: DateOrder['order']): string | undefined {
  const [year, month, day] = partsOf(compact(text), order) ?? [];
  if (year === undefined) return undefined;
  const date = `${year.padStart(4, '20')}-${(month ?? '').padStart(2, '0')}-${(day ?? '').padStart(2, '0')}`;
  return isDate8601(date) ? date : undefined;
}

function compact(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

function partsOf(text: string, order: DateOrder['order']): readonly [year: string, month: string, day: string] | undefined {
  const [, isoYear, separator, isoMonth = '', isoDay = ''] = ISO.exec(text) ?? [];
  if (isoYear !== undefined) return separator === '' && isoMonth.length + isoDay.length < 4 ? undefined : [isoYear, isoMonth, isoDay];
  const [, first = '', , second = '', year] = NUMERIC.exec(text) ?? [];
  if (year !== undefined) return order === 'day_first' ? [year, second, first] : [year, first, second];
  const [, day = '', name = '', namedYear] = NAMED.exec(text) ?? [];
  if (namedYear !== undefined) return named(namedYear, name, day);
  const [, firstName = '', secondDay = '', lastYear] = NAME_FIRST.exec(text) ?? [];
  return lastYear === undefined ? undefined : named(lastYear, firstName, secondDay);
}

function named(year: string, name: string, day: string): readonly [year: string, month: string, day: string] | undefined {
  const month = MONTHS.findIndex((full) => full.startsWith(name.toLowerCase()));
  return month < 0 ? undefined : [year, String(month + 1), day];
}
