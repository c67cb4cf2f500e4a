import { Injectable } from '@nestjs/common';
import { type Section } from '../../kernel/section-names.js';
import { priceLookup } from './domain/price-book.js';
import { GetPriceBookHandler } from './get-price-book.query.js';

export interface Quote {
  /** Integer kobo by fee key. The sum is the charge. */
  readonly breakdown_kobo: Readonly<Record<string, number>>;
  readonly price_book_version: number;
}

/** Prices lookups by the price book in force. */
@Injectable()
export class LookupQuotes {
  constructor(private readonly priceBook: GetPriceBookHandler) {}

  async quote(sections: readonly Section[], hasBureauReport: boolean): Promise<Quote> {
    const book = await this.priceBook.execute();
    return { breakdown_kobo: priceLookup(book, sections, hasBureauReport), price_book_version: book.version };
  }
}
