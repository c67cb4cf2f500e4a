import { toNaira } from '../../../kernel/money.js';
import { type PriceBook } from '../domain/price-book.js';
import { type ScheduledPriceBook } from '../domain/price-schedule.js';
import { type PublishedPriceBook } from '../domain/price-timeline.js';
import { type PriceBookView, type PublishedPriceBookView, type PriceBookWithScheduleView } from './price-book-responses.dto.js';

export function priceBookView({ version, fees_kobo }: PriceBook): PriceBookView {
  return { version, fees: Object.fromEntries(Object.entries(fees_kobo).map(([key, fee_kobo]) => [key, toNaira(fee_kobo)])) };
}

export function withSchedule(book: PriceBook, pending: ScheduledPriceBook | null): PriceBookWithScheduleView {
  const scheduled = pending && {
    effective_at: pending.effective_at,
    actor: pending.actor,
    fees: priceBookView({ version: 0, fees_kobo: pending.fees_kobo }).fees,
  };
  const { version, fees } = priceBookView(book);
  return { version, fees, scheduled };
}

export function publishedPriceBookView({ published_at, effective_at, actor, ...book }: PublishedPriceBook): PublishedPriceBookView {
  const { version, fees } = priceBookView(book);
  return { version, fees, published_at, effective_at, actor };
}
