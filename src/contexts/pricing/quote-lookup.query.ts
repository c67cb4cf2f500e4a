import { type IQueryHandler, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { type Section } from '../../kernel/section-names.js';
import { priceLookup } from './domain/price-book.js';
import { GetPriceBook } from './get-price-book.query.js';

export interface Quote {
  /** Fee key to integer kobo; sums to the charge. */
  readonly breakdown_kobo: Readonly<Record<string, number>>;
  readonly price_book_version: number;
}

/** What a look-up costs by the book in force. */
export class QuoteLookup extends Query<Quote> {
  constructor(
    readonly sections: readonly Section[],
    readonly hasBureauReport: boolean,
  ) {
    super();
  }
}

@QueryHandler(QuoteLookup)
export class QuoteLookupHandler implements IQueryHandler<QuoteLookup> {
  constructor(private readonly queries: QueryBus) {}

  async execute({ sections, hasBureauReport }: QuoteLookup): Promise<Quote> {
    const book = await this.queries.execute(new GetPriceBook());
    return { breakdown_kobo: priceLookup(book, sections, hasBureauReport), price_book_version: book.version };
  }
}
