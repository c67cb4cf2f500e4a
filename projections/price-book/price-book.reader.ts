import { type Pool } from 'pg';
import { rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { type RowMacs } from '../../src/platform/projecting/row-macs.js';
import { priceBookProjection, type PriceBookRow } from './price-book.projection.js';

const tables = statementsOn<{ 'read.price_book': PriceBookRow }>();

type Newest = Pick<PriceBookRow, 'version' | 'fees_kobo' | 'vat_percent'>;

/** Returns the price book that was published last, undefined if none was. Prices are charged by the log, unless its history is missing. @throws RowForged */
export async function newestPriceBook(pool: Pool, macs: RowMacs): Promise<Newest | undefined> {
  const [newest] = await rowsOf(pool, tables.selectFrom('read.price_book').selectAll().orderBy('version', 'desc').limit(1));
  if (!newest) return undefined;
  const { version, fees_kobo, vat_percent } = macs.genuine(priceBookProjection.table, newest);
  return { version, fees_kobo, vat_percent };
}
