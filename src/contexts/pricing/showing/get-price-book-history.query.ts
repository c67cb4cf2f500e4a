import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type PublishedPriceBook } from '../domain/price-timeline.js';
import { publishedPriceBooks } from './read-price-books.js';

/** Returns every version of the price book that is or was in force, as {@link publishedPriceBooks} yields them. */
export class GetPriceBookHistory extends Query<AsyncGenerator<PublishedPriceBook>> {}

@QueryHandler(GetPriceBookHistory)
export class GetPriceBookHistoryHandler implements IQueryHandler<GetPriceBookHistory> {
  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly clock: Clock,
  ) {}

  execute(): Promise<AsyncGenerator<PublishedPriceBook>> {
    return Promise.resolve(this.begun());
  }

  private async *begun(): AsyncGenerator<PublishedPriceBook> {
    const now = this.clock.iso();
    for await (const book of publishedPriceBooks(this.eventStore, this.codec))
      if (!book.is_waiting || (book.effective_at ?? '') <= now) yield book;
  }
}
