import { Command, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { DirectoryChanges } from '../../../platform/projecting/in-memory/directory-changes.js';
import { pendingAt, PRICE_SCHEDULE_ID, PRICE_SCHEDULE_STREAMS, type ScheduledPriceBook } from '../domain/price-schedule.js';
import { GetPriceBook } from '../showing/get-price-book.query.js';
import { feesInKobo, type PriceBookDto } from '../publishing/pricing.dto.js';
import { Streams } from '../../../platform/event-sourcing/writing/streams.js';

/**
 * Schedules a whole price book, in place of one that is scheduled and not in force yet, and completes once every instance will charge it
 * from its time on. A rate of VAT that was left out is that which is in force now. Cancelled with {@link CancelScheduledFees}. Raises NotYetInForce if instances may not know of it.
 * @throws ValidationFailed for a time that is not in the future or too far ahead
 */
export class ScheduleFees extends Command<ScheduledPriceBook | null> {
  constructor(
    readonly book: PriceBookDto,
    readonly actor: string,
  ) {
    super();
  }
}

/**
 * Cancels the scheduled price book, and completes once no instance charges it. Returns whether there was one that is not in force yet: from
 * its time on, only another publication replaces it. Raises NotYetInForce if instances may not know of it.
 */
export class CancelScheduledFees extends Command<boolean> {
  constructor(readonly actor: string) {
    super();
  }
}

@CommandHandler(ScheduleFees)
export class ScheduleFeesHandler implements ICommandHandler<ScheduleFees> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly directory: DirectoryChanges,
    private readonly queries: QueryBus,
  ) {}

  async execute({ book, actor }: ScheduleFees): Promise<ScheduledPriceBook | null> {
    const at = this.clock.iso();
    const effective_at = new Date(book.effective_at ?? at).toISOString();
    const vat_percent = book.vat_percent ?? (await this.queries.execute(new GetPriceBook(at))).vat_percent;
    const command = { kind: 'schedule' as const, fees_kobo: feesInKobo(book), vat_percent, effective_at, at, actor };
    const { state } = await this.streams.of(PRICE_SCHEDULE_STREAMS).execute(PRICE_SCHEDULE_ID, command);
    await this.directory.announce();
    return pendingAt(state, at);
  }
}

@CommandHandler(CancelScheduledFees)
export class CancelScheduledFeesHandler implements ICommandHandler<CancelScheduledFees> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly directory: DirectoryChanges,
  ) {}

  async execute({ actor }: CancelScheduledFees): Promise<boolean> {
    const { events } = await this.streams
      .of(PRICE_SCHEDULE_STREAMS)
      .execute(PRICE_SCHEDULE_ID, { kind: 'cancel', at: this.clock.iso(), actor });
    await this.directory.announce();
    return events.length > 0;
  }
}
