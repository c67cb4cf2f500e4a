/** The public interface of the pricing context. */
export { priceLookup } from './domain/price-book.js';
export { GetPriceBookHandler } from './get-price-book.query.js';
