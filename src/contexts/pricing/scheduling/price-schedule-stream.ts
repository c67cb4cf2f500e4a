import { Injectable } from '@nestjs/common';
import { SHORT_STREAM } from '../../../platform/event-sourcing/writing/batch.js';
import { Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { StreamWriter } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { type PriceScheduleEvent } from '../domain/events.js';
import { type PriceSchedule, type PriceScheduleCommand, priceScheduleDecider } from '../domain/price-schedule.js';

/** The stream id of the only schedule. */
export const PRICE_SCHEDULE_ID = 'main';

/** A stream of its own, because releases before it take every event of the price book's stream for a publication. */
@Injectable()
export class PriceScheduleStream extends StreamWriter<PriceSchedule, PriceScheduleCommand, PriceScheduleEvent> {
  constructor(eventStore: EventStore, codec: Codec) {
    super(eventStore, codec, { ...SHORT_STREAM, category: 'priceschedule', decider: priceScheduleDecider });
  }
}
