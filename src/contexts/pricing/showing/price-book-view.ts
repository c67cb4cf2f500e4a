import { toNaira } from '../../../kernel/money.js';
import { type PriceBook } from '../domain/price-book.js';
import { type ScheduledPriceBook } from '../domain/price-schedule.js';
import { type PublishedPriceBook } from '../domain/price-timeline.js';
import { type PriceBookView, type PublishedPriceBookView, type PriceBookWithScheduleView } from './price-book-responses.dto.js';

export function priceBookView({ version, fees_kobo, vat_percent }: PriceBook): PriceBookView {
  return { version, fees: Object.fromEntries(Object.entries(fees_kobo).map(([key, fee_kobo]) => [key, toNaira(fee_kobo)])), vat_percent };
}

export function withSchedule(book: PriceBook, pending: ScheduledPriceBook | null): PriceBookWithScheduleView {
  const { version, ...inForce } = priceBookView(book);
  if (!pending) return { version, ...inForce, scheduled: null };
  const { fees, vat_percent } = priceBookView({ ...pending, version: 0 });
  return { version, ...inForce, scheduled: { effective_at: pending.effective_at, actor: pending.actor, fees, vat_percent } };
}

export function publishedPriceBookView({ published_at, effective_at, actor, ...book }: PublishedPriceBook): PublishedPriceBookView {
  const { version, fees, vat_percent } = priceBookView(book);
  return { version, fees, vat_percent, published_at, effective_at, actor };
}
