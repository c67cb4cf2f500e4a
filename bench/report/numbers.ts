import { type Spread } from '../support/statistics.js';

/** Three digits that say something, and no more. */
export function number(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** The median, and in brackets from where to where it went. */
export function withSpread(spread: Spread, format: (value: number) => string = number): string {
  const [median, least, most] = [spread.median, spread.least, spread.most].map(format);
  return least === most ? (median ?? '') : `${median ?? ''} (${least ?? ''} – ${most ?? ''})`;
}
