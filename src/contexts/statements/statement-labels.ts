import { type Month } from './domain/month.js';

const NAMES = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** Returns the name of a month, such as "March 2026". */
export function monthName({ from }: Month): string {
  const first = new Date(from);
  return `${NAMES[first.getUTCMonth()] ?? ''} ${first.getUTCFullYear()}`;
}

/** Returns the days of a month, such as "1 to 31 March 2026". */
export function daysOf(month: Month): string {
  const last = new Date(new Date(month.until).getTime() - 1);
  return `1 to ${last.getUTCDate()} ${monthName(month)}`;
}

/** Returns the label of the last balance, which is provisional while the month is not over. */
export function closingBalanceLabel({ complete }: { readonly complete: boolean }): string {
  return complete ? 'Closing balance' : 'Balance so far';
}
