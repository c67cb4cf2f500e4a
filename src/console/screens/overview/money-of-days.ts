import { type RevenueGroupView } from '../../../contexts/accounting/books/revenue.dto.js';

const DAYS = 30;
const DAY_MS = 86_400_000;
const KOBO = 100;

/** The revenue of a day in NGN. */
interface MoneyDay {
  /** Day in UTC, such as 2026-03-01. */
  readonly day: string;
  readonly gross: number;
  readonly refunds: number;
}

export interface MoneyOfDays {
  /** The thirty days before today, oldest first. A day without revenue has 0. */
  readonly days: readonly MoneyDay[];
  /** NGN over {@link days}. */
  readonly gross: number;
  readonly refunds: number;
  /** NGN of today so far. */
  readonly today: number;
  /** NGN of this month (UTC), today included. */
  readonly month: number;
}

/** Returns the days to ask the revenue of: from the first of this month, or thirty days ago if that is earlier. @param today such as 2026-03-01 */
export function firstDayOf(today: string): string {
  const first = dayBefore(today, DAYS);
  const ofMonth = `${today.slice(0, 'yyyy-mm'.length)}-01`;
  return first < ofMonth ? first : ofMonth;
}

/** Returns the sums of the days' revenue. @param groups the revenue by day */
export function moneyOfDays(today: string, groups: readonly RevenueGroupView[]): MoneyOfDays {
  const known = new Map(groups.map(({ day = '', gross, refunds }) => [day, { gross: Number(gross), refunds: Number(refunds) }]));
  const days = Array.from({ length: DAYS }, (_, index) => {
    const day = dayBefore(today, DAYS - index);
    return { day, ...(known.get(day) ?? { gross: 0, refunds: 0 }) };
  });
  const ofMonth = [...known].filter(([day]) => day.slice(0, 7) === today.slice(0, 7));
  return {
    days,
    gross: sumOf(days.map(({ gross }) => gross)),
    refunds: sumOf(days.map(({ refunds }) => refunds)),
    today: known.get(today)?.gross ?? 0,
    month: sumOf(ofMonth.map(([, { gross }]) => gross)),
  };
}

/** Returns the day some days before another. @param day such as 2026-03-01, or a moment of it (ISO 8601, UTC) */
export function dayBefore(day: string, days: number): string {
  return new Date(Date.parse(day) - days * DAY_MS).toISOString().slice(0, 10);
}

/** Adds amounts in kobo, so that the sum has no error of binary fractions. */
export function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + Math.round(amount * KOBO), 0) / KOBO;
}
