import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { POOL } from '../infrastructure/tokens.js';
import { ReadModelListener } from '../projecting/read-model-listener.js';
import { DEFAULT_PRICE_BOOK, type PriceBook } from './domain/price-book.js';

/** The book in force. */
export class GetPriceBook extends Query<PriceBook> {}

@QueryHandler(GetPriceBook)
export class GetPriceBookHandler implements IQueryHandler<GetPriceBook> {
  private held: PriceBook | undefined;
  private generation = 0;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    private readonly listener: ReadModelListener,
  ) {
    listener.onDirectoryChanged(() => {
      this.generation += 1;
      this.held = undefined;
    });
  }

  async execute(): Promise<PriceBook> {
    if (this.held && this.listener.live) return this.held;
    const { generation } = this;
    const { rows } = await this.pool.query<PriceBook>('select version, fees_kobo from read.price_book order by version desc limit 1');
    const book = rows[0] ?? DEFAULT_PRICE_BOOK;
    if (generation === this.generation) this.held = book;
    return book;
  }
}
