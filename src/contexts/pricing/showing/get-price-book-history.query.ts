import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { asRecorded, Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { GenuineEvents } from '../../../platform/unusable-events/genuine-events.js';
import { type PricingEvent } from '../domain/events.js';
import { PRICE_BOOK_ID } from '../domain/price-book.js';
import { BUILT_IN, type PublishedPriceBook } from '../domain/price-history.js';

type PriceLog = Pick<EventStore, 'readStream' | 'streamPages' | 'lastEvent'>;

/** Returns what {@link publishedPriceBooks} yields. */
export class GetPriceBookHistory extends Query<AsyncGenerator<PublishedPriceBook>> {}

@QueryHandler(GetPriceBookHistory)
export class GetPriceBookHistoryHandler implements IQueryHandler<GetPriceBookHistory> {
  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
  ) {}

  execute(): Promise<AsyncGenerator<PublishedPriceBook>> {
    return Promise.resolve(publishedPriceBooks(this.eventStore, this.codec));
  }
}

/**
 * Yields every version of the price book from the event log. It begins with the built-in one if the log does not.
 * @throws HistoryMissing or EventSetAside if the log may have others
 */
export async function* publishedPriceBooks(eventStore: PriceLog, codec: Codec): AsyncGenerator<PublishedPriceBook> {
  let isFirst = true;
  const genuine = new GenuineEvents(eventStore, codec);
  for await (const page of eventStore.streamPages(`pricebook-${PRICE_BOOK_ID}`)) {
    for (const event of await genuine.decode(page)) {
      const { version, fees_kobo, recorded_at, actor } = asRecorded<PricingEvent>(event).data;
      if (isFirst && version > BUILT_IN.version) yield BUILT_IN;
      isFirst = false;
      yield { version, fees_kobo, published_at: recorded_at, actor };
    }
  }
  if (isFirst) yield BUILT_IN;
}
