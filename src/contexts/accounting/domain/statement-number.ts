import { type Month } from './month.js';

/** Digits of the sequence, which lasts for more than eight centuries of months. */
const DIGITS = 4;

/**
 * Returns the number of a statement: partner, month, and the place of the month in the sequence of the partner's months, without a gap and
 * beginning at 1. It depends on nothing that happens after the partner's beginning. Undefined if the month ended before that.
 * @param begun the partner's registration or the wallet's first entry, whichever was earlier; ISO 8601
 */
export function statementNumber(partnerId: string, month: Month, begun: string): string | undefined {
  const sequence = monthsOf(month.from) - monthsOf(begun) + 1;
  return sequence < 1 ? undefined : `${partnerId}-${month.name}-${String(sequence).padStart(DIGITS, '0')}`;
}

function monthsOf(time: string): number {
  const at = new Date(time);
  return at.getUTCFullYear() * 12 + at.getUTCMonth();
}
