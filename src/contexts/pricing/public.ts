/** The public interface of the pricing context. */
export { priceLookup } from './domain/price-book.js';
export { GetPriceBookHandler } from './showing/get-price-book.query.js';
