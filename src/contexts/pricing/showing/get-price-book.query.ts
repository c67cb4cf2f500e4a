import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { newestPriceBook } from '../../../../projections/price-book/price-book.reader.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore, HistoryMissing } from '../../../platform/event-sourcing/event-store.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { DirectoryCache } from '../../../platform/projecting/in-memory/directory-cache.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { DEFAULT_PRICE_BOOK, type PriceBook } from '../domain/price-book.js';
import { publishedPriceBooks } from './get-price-book-history.query.js';

/** Returns the price book in force. Raises EventSetAside while an event may have changed it that cannot be used. */
export class GetPriceBook extends Query<PriceBook> {}

/**
 * Reads prices from the log, so that nobody charges others by editing a table (evidence, "Where a table decides"). The read model says when
 * they change, and serves lookups while their history is missing.
 */
@QueryHandler(GetPriceBook)
export class GetPriceBookHandler implements IQueryHandler<GetPriceBook> {
  private readonly cache: DirectoryCache<PriceBook>;

  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
    listener: ReadModelListener,
  ) {
    this.cache = new DirectoryCache(listener, 1);
  }

  async execute(): Promise<PriceBook> {
    return await this.cache.get('current', () => this.read());
  }

  private async read(): Promise<PriceBook> {
    let newest: PriceBook = DEFAULT_PRICE_BOOK;
    try {
      for await (const { version, fees_kobo } of publishedPriceBooks(this.eventStore, this.codec)) newest = { version, fees_kobo };
    } catch (error) {
      if (!(error instanceof HistoryMissing)) throw error;
      return (await newestPriceBook(this.pool, this.macs)) ?? DEFAULT_PRICE_BOOK;
    }
    return newest;
  }
}
