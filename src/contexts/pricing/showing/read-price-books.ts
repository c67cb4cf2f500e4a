import { asRecorded, type Codec } from '../../../platform/event-sourcing/coding/codec.js';
import { type EventStore } from '../../../platform/event-sourcing/event-store.js';
import { type RecordedEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { GenuineEvents } from '../../../platform/unusable-events/genuine-events.js';
import { type PriceScheduleEvent, type PricingEvent } from '../domain/events.js';
import { PRICE_BOOK_ID } from '../domain/price-book.js';
import { PRICE_SCHEDULE_ID } from '../domain/price-schedule.js';
import { type PublishedPriceBook, type Schedules, schedulesOf, PriceTimeline } from '../domain/price-timeline.js';

export type PriceLog = Pick<EventStore, 'readStream' | 'streamPages' | 'lastEvent'>;

/**
 * Yields every version of the price book from the event log in ascending order, those that follow by schedule last; of these, the last one
 * may lie in the future. It begins with the built-in one if the log does not.
 * @throws HistoryMissing or EventSetAside if the log may have others
 */
export async function* publishedPriceBooks(eventStore: PriceLog, codec: Codec): AsyncGenerator<PublishedPriceBook> {
  const genuine = new GenuineEvents(eventStore, codec);
  const timeline = new PriceTimeline(await readSchedules(eventStore, genuine));
  for await (const page of eventStore.streamPages(`pricebook-${PRICE_BOOK_ID}`)) {
    for (const event of await genuine.decode(page)) {
      const published = asRecorded<PricingEvent>(event);
      // Its schedule may have been recorded after the schedules were read.
      if (!timeline.knows(published)) timeline.read(await readSchedules(eventStore, genuine));
      yield* timeline.add(published);
    }
  }
  yield* timeline.rest();
}

async function readSchedules(eventStore: PriceLog, genuine: GenuineEvents): Promise<Schedules> {
  const events: RecordedEvent<PriceScheduleEvent>[] = [];
  for await (const page of eventStore.streamPages(`priceschedule-${PRICE_SCHEDULE_ID}`))
    for (const event of await genuine.decode(page)) events.push(asRecorded<PriceScheduleEvent>(event));
  return schedulesOf(events);
}
