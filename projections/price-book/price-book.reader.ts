import { type Pool } from 'pg';
import { rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { type PriceBookRow } from './price-book.projection.js';

const tables = statementsOn<{ 'read.price_book': PriceBookRow }>();

/** Returns the price book that was published last, undefined if none was. Prices are charged by the log, unless its history is missing. */
export async function newestPriceBook(pool: Pool): Promise<Pick<PriceBookRow, 'version' | 'fees_kobo'> | undefined> {
  const newest = tables.selectFrom('read.price_book').select(['version', 'fees_kobo']).orderBy('version', 'desc').limit(1);
  return (await rowsOf(pool, newest))[0];
}
