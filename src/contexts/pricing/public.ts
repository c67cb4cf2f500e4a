/** The public interface of the pricing context. */
export { LookupQuotes } from './lookup-quotes.js';
