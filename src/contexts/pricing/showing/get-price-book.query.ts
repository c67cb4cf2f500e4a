import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { newestPriceBook } from '../../../../projections/price-book/price-book.reader.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { DirectoryCache } from '../../../platform/projecting/in-memory/directory-cache.js';
import { ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { refuseIfSetAside } from '../../../platform/unusable-events/unusable-table.js';
import { DEFAULT_PRICE_BOOK, type PriceBook } from '../domain/price-book.js';

/** Returns the price book in force. Raises EventSetAside while an event may have changed it that cannot be used. */
export class GetPriceBook extends Query<PriceBook> {}

@QueryHandler(GetPriceBook)
export class GetPriceBookHandler implements IQueryHandler<GetPriceBook> {
  private readonly cache: DirectoryCache<PriceBook>;

  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    listener: ReadModelListener,
  ) {
    this.cache = new DirectoryCache(listener, 1);
  }

  async execute(): Promise<PriceBook> {
    return await this.cache.get('current', () => this.read());
  }

  private async read(): Promise<PriceBook> {
    const { book, set_aside } = await newestPriceBook(this.pool);
    refuseIfSetAside(set_aside, 'the read model price_book');
    return book ?? DEFAULT_PRICE_BOOK;
  }
}
