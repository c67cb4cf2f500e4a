import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { POOL } from '../../platform/injection-tokens.js';
import { DirectoryCache } from '../../platform/projecting/directory-cache.js';
import { ReadModelListener } from '../../platform/projecting/read-model-listener.js';
import { DEFAULT_PRICE_BOOK, type PriceBook } from './domain/price-book.js';

/** Returns the price book in force. */
export class GetPriceBook extends Query<PriceBook> {}

@QueryHandler(GetPriceBook)
export class GetPriceBookHandler implements IQueryHandler<GetPriceBook> {
  private readonly cache: DirectoryCache<PriceBook>;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    listener: ReadModelListener,
  ) {
    this.cache = new DirectoryCache(listener, 1);
  }

  async execute(): Promise<PriceBook> {
    return await this.cache.get('current', () => this.read());
  }

  private async read(): Promise<PriceBook> {
    const { rows } = await this.pool.query<PriceBook>('select version, fees_kobo from read.price_book order by version desc limit 1');
    return rows[0] ?? DEFAULT_PRICE_BOOK;
  }
}
