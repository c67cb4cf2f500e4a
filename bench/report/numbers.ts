import { type Spread } from '../support/statistics.js';

/** Formats a number with two decimals below 10, one below 100 and none above. */
export function number(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Formats the median, with minimum and maximum in parentheses if they differ. */
export function withSpread(spread: Spread, format: (value: number) => string = number): string {
  const [median, min, max] = [spread.median, spread.min, spread.max].map(format);
  return min === max ? (median ?? '') : `${median ?? ''} (${min ?? ''} – ${max ?? ''})`;
}
