import { Injectable } from '@nestjs/common';
import { SHORT_STREAM } from '../../../platform/event-sourcing/writing/batch.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { type PricingEvent } from '../domain/events.js';
import { type PriceBookState, priceBookDecider, type PublishPriceBook } from '../domain/price-book.js';

/** The stream id of the only price book. */
export const PRICE_BOOK_ID = 'main';

@Injectable()
export class PriceBookStream extends StreamWriter<PriceBookState, PublishPriceBook, PricingEvent> {
  constructor(eventStore: EventStore, codec: Codec) {
    super(eventStore, codec, { ...SHORT_STREAM, category: 'pricebook', decider: priceBookDecider });
  }
}
