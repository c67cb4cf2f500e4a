import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { asRecorded, Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { GenuineEvents } from '../../../platform/unusable-events/genuine-events.js';
import { type PricingEvent } from '../domain/events.js';
import { DEFAULT_PRICE_BOOK, PRICE_BOOK_ID, type PriceBook } from '../domain/price-book.js';

export interface PublishedPriceBook extends PriceBook {
  /** ISO 8601, UTC; null for the built-in first version, which was never published. */
  readonly published_at: string | null;
  readonly actor: string | null;
}

/** Yields every version of the price book from the event log, the built-in one first. */
export class GetPriceBookHistory extends Query<AsyncGenerator<PublishedPriceBook>> {}

@QueryHandler(GetPriceBookHistory)
export class GetPriceBookHistoryHandler implements IQueryHandler<GetPriceBookHistory> {
  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
  ) {}

  execute(): Promise<AsyncGenerator<PublishedPriceBook>> {
    return Promise.resolve(this.versions());
  }

  private async *versions(): AsyncGenerator<PublishedPriceBook> {
    yield { ...DEFAULT_PRICE_BOOK, published_at: null, actor: null };
    const genuine = new GenuineEvents(this.eventStore, this.codec);
    for await (const page of this.eventStore.streamPages(`pricebook-${PRICE_BOOK_ID}`)) {
      for (const event of await genuine.decode(page)) {
        const { version, fees_kobo, recorded_at, actor } = asRecorded<PricingEvent>(event).data;
        yield { version, fees_kobo, published_at: recorded_at, actor };
      }
    }
  }
}
