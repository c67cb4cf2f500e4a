import { isDate8601 } from '../../../kernel/iso-8601.js';

/** The order of day and month in a file’s dates. `known`: a date shows it; otherwise day first is assumed. */
export interface DateOrder {
  readonly order: 'day_first' | 'month_first';
  readonly known: boolean;
}

/** Dates that contradict each other: one has the day first, the other the month. Each is its index. */
export class MixedDateOrders extends Error {
  override name = 'MixedDateOrders';

  constructor(
    readonly dayFirst: number,
    readonly monthFirst: number,
  ) {
    super('The file has dates with the day first and dates with the month first.');
  }
}

const TIME = String.raw`(?:[T ,]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:\s*[AP]M)?(?:Z|\s*[+-]\d{2}:?\d{2})?)?`;
const ISO = new RegExp(`^(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})${TIME}$`, 'i');
const NUMERIC = new RegExp(`^(\\d{1,2})([-/. ])(\\d{1,2})\\2(\\d{4}|\\d{2})${TIME}$`, 'i');
const NAMED = new RegExp(`^(\\d{1,2})[-/. ]?([a-z]{3,9})\\.?[-/. ,]*(\\d{4}|\\d{2})${TIME}$`, 'i');
const MONTHS = ['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november', 'december'];

/**
 * Decides the order of day and month for all dates of a file, from those in which one number is above 12. Day first is assumed if none is,
 * as Nigerian banks write it. @throws MixedDateOrders
 */
export function dateOrder(texts: readonly string[]): DateOrder {
  let [dayFirst, monthFirst] = [-1, -1];
  for (const [index, text] of texts.entries()) {
    const [, first, , second] = NUMERIC.exec(text.trim()) ?? [];
    if (dayFirst < 0 && Number(first) > 12) dayFirst = index;
    if (monthFirst < 0 && Number(second) > 12) monthFirst = index;
  }
  if (dayFirst >= 0 && monthFirst >= 0) throw new MixedDateOrders(dayFirst, monthFirst);
  return { order: monthFirst >= 0 ? 'month_first' : 'day_first', known: dayFirst >= 0 || monthFirst >= 0 };
}

/** Returns whether the order of day and month matters for the text. */
export function needsOrder(text: string): boolean {
  return NUMERIC.test(text.trim());
}

/** Returns a date as yyyy-mm-dd, without its time; undefined if the text is none. A year of two digits is one from 2000 to 2099. */
export function bankDate(text: string, order: DateOrder['order']): string | undefined {
  const [year, month, day] = partsOf(text.trim(), order) ?? [];
  if (year === undefined) return undefined;
  const date = `${year.padStart(4, '20')}-${(month ?? '').padStart(2, '0')}-${(day ?? '').padStart(2, '0')}`;
  return isDate8601(date) ? date : undefined;
}

function partsOf(text: string, order: DateOrder['order']): readonly [year: string, month: string, day: string] | undefined {
  const [, isoYear, isoMonth = '', isoDay = ''] = ISO.exec(text) ?? [];
  if (isoYear !== undefined) return [isoYear, isoMonth, isoDay];
  const [, first = '', , second = '', year] = NUMERIC.exec(text) ?? [];
  if (year !== undefined) return order === 'day_first' ? [year, second, first] : [year, first, second];
  const [, day = '', name = '', namedYear] = NAMED.exec(text) ?? [];
  if (namedYear === undefined) return undefined;
  const month = MONTHS.findIndex((full) => full.startsWith(name.toLowerCase()));
  return month < 0 ? undefined : [namedYear, String(month + 1), day];
}
