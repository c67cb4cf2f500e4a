import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { PRICE_SCHEDULE_ID, PRICE_SCHEDULE_STREAMS, type ScheduledPriceBook } from '../domain/price-schedule.js';
import { Streams } from '../../../platform/event-sourcing/writing/streams.js';

/** Returns the price book that is scheduled, read from the log; null if none is. */
export class GetScheduledFees extends Query<ScheduledPriceBook | null> {}

@QueryHandler(GetScheduledFees)
export class GetScheduledFeesHandler implements IQueryHandler<GetScheduledFees> {
  constructor(private readonly streams: Streams) {}

  async execute(): Promise<ScheduledPriceBook | null> {
    return (await this.streams.of(PRICE_SCHEDULE_STREAMS).load(PRICE_SCHEDULE_ID)).state.pending;
  }
}
