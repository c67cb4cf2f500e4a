import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type ScheduledPriceBook } from '../domain/price-schedule.js';
import { PRICE_SCHEDULE_ID, PriceScheduleStream } from './price-schedule-stream.js';

/** Returns the price book that is scheduled, read from the log; null if none is. */
export class GetScheduledFees extends Query<ScheduledPriceBook | null> {}

@QueryHandler(GetScheduledFees)
export class GetScheduledFeesHandler implements IQueryHandler<GetScheduledFees> {
  constructor(private readonly stream: PriceScheduleStream) {}

  async execute(): Promise<ScheduledPriceBook | null> {
    return (await this.stream.load(PRICE_SCHEDULE_ID)).state.pending;
  }
}
