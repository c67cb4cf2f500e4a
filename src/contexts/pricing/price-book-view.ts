import { toNaira } from '../../kernel/money.js';
import { type PriceBook } from './domain/price-book.js';
import { type PublishedPriceBook } from './get-price-book-history.query.js';

export interface PriceBookView {
  readonly version: number;
  /** NGN. */
  readonly fees: Readonly<Record<string, number>>;
}

export interface PublishedPriceBookView extends PriceBookView {
  readonly published_at: string | null;
  readonly actor: string | null;
}

export function priceBookView({ version, fees_kobo }: PriceBook): PriceBookView {
  return { version, fees: Object.fromEntries(Object.entries(fees_kobo).map(([key, fee_kobo]) => [key, toNaira(fee_kobo)])) };
}

export function publishedPriceBookView({ published_at, actor, ...book }: PublishedPriceBook): PublishedPriceBookView {
  return { ...priceBookView(book), published_at, actor };
}
