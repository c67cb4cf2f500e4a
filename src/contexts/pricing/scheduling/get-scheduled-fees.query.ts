import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { pendingAt, PRICE_SCHEDULE_ID, PRICE_SCHEDULE_STREAMS, type ScheduledPriceBook } from '../domain/price-schedule.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

/** Returns the price book that is scheduled and not in force yet at a time (by default: now), read from the log; null if none is. */
export class GetScheduledFees extends Query<ScheduledPriceBook | null> {
  /** @param at ISO 8601, UTC */
  constructor(readonly at?: string) {
    super();
  }
}

@QueryHandler(GetScheduledFees)
export class GetScheduledFeesHandler implements IQueryHandler<GetScheduledFees> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ at = this.clock.iso() }: GetScheduledFees): Promise<ScheduledPriceBook | null> {
    return pendingAt((await this.streams.of(PRICE_SCHEDULE_STREAMS).load(PRICE_SCHEDULE_ID)).state, at);
  }
}
