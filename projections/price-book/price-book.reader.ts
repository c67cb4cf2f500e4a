import { sql } from 'kysely';
import { type Pool } from 'pg';
import { rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { setAsideIn } from '../../src/platform/unusable-events/unusable-table.js';
import { type PriceBookRow } from './price-book.projection.js';

const tables = statementsOn<{ 'read.price_book': PriceBookRow }>();
const setAside = sql<string | null>`${sql.raw(setAsideIn("'pricebook-main'"))}`.as('set_aside');

export interface NewestPriceBook {
  /** Undefined if none was published. */
  readonly book: Pick<PriceBookRow, 'version' | 'fees_kobo'> | undefined;
  /** The event that may have changed it and cannot be used, for `refuseIfSetAside`. */
  readonly set_aside: string | null;
}

/** Returns the price book that was published last. */
export async function newestPriceBook(pool: Pool): Promise<NewestPriceBook> {
  const newest = tables.selectFrom('read.price_book').select(['version', 'fees_kobo']).orderBy('version', 'desc').limit(1).as('book');
  const [found] = await rowsOf(
    pool,
    tables
      .selectFrom(sql`(select)`.as('one'))
      .leftJoin(newest, (join) => join.onTrue())
      .select(['book.version', 'book.fees_kobo', setAside]),
  );
  const { version = null, fees_kobo = null, set_aside = null } = found ?? {};
  return { book: version === null || fees_kobo === null ? undefined : { version, fees_kobo }, set_aside };
}
