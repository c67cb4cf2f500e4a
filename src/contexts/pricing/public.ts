/** The public interface of the pricing context. */
export { priceLookup } from './domain/price-book.js';
export { PriceHistory } from './domain/price-history.js';
export { type BookInForce } from './domain/price-timeline.js';
export { GetPriceBookHandler } from './showing/get-price-book.query.js';
export { publishedPriceBooks } from './showing/get-price-book.query.js';
