/** What other contexts may use of pricing. */
export { LookupQuotes } from './lookup-quotes.js';
