import { type Month } from './domain/month.js';

const NAMES = ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'];

/** Such as "March 2026". */
export function monthName({ from }: Month): string {
  const first = new Date(from);
  return `${NAMES[first.getUTCMonth()] ?? ''} ${first.getUTCFullYear()}`;
}

/** Such as "1 to 31 March 2026". */
export function daysOf(month: Month): string {
  const last = new Date(new Date(month.until).getTime() - 1);
  return `1 to ${last.getUTCDate()} ${monthName(month)}`;
}

/** What the last balance is called. */
export function lastBalance({ complete }: { readonly complete: boolean }): string {
  return complete ? 'Closing balance' : 'Balance so far';
}
