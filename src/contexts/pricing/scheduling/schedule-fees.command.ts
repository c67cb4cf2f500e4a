import { Command, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { DirectoryChanges } from '../../../platform/projecting/in-memory/directory-changes.js';
import { validateBody } from '../../../http/validating/validation.js';
import { type Approval, type ApprovableCall } from '../../approvals/domain/events.js';
import { type Approvable, type Foreseen, FourEyes, type RecordedCall } from '../../approvals/public.js';
import {
  pendingAt,
  PRICE_SCHEDULE_ID,
  PRICE_SCHEDULE_STREAMS,
  type PriceScheduleCommand,
  type ScheduledPriceBook,
} from '../domain/price-schedule.js';
import { GetPriceBook } from '../showing/get-price-book.query.js';
import { feesInKobo, PriceBookDto } from '../publishing/pricing.dto.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

/**
 * Schedules a whole price book, in place of one that is scheduled and not in force yet, and completes once every instance will charge it
 * from its time on. A rate of VAT that was left out is that which is in force now. Cancelled with {@link CancelScheduledFees}. Raises NotYetInForce
 * if instances may not know of it.
 * @throws ValidationFailed for a time that is not in the future or too far ahead
 */
export class ScheduleFees extends Command<ScheduledPriceBook | null> {
  constructor(
    readonly book: PriceBookDto,
    readonly actor: string,
    /** Set if a second person approved it. */
    readonly approval?: Approval,
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
export class ScheduleFeesHandler implements ICommandHandler<ScheduleFees>, Approvable<ScheduleFees> {
  readonly approvalKind = 'price_schedule';

  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly directory: DirectoryChanges,
    private readonly queries: QueryBus,
    private readonly fourEyes: FourEyes,
  ) {
    fourEyes.register(this);
  }

  async execute(command: ScheduleFees): Promise<ScheduledPriceBook | null> {
    if (!command.approval) await this.fourEyes.admit(this, command, command.book);
    return await this.schedule(await this.scheduling(command));
  }

  commandOf(call: ApprovableCall['call'], actor: string, approval?: Approval): ScheduleFees {
    return new ScheduleFees(validateBody(PriceBookDto, call), actor, approval);
  }

  async foresee(command: ScheduleFees): Promise<Foreseen> {
    const { state } = await this.streams.of(PRICE_SCHEDULE_STREAMS).load(PRICE_SCHEDULE_ID);
    const isChange = PRICE_SCHEDULE_STREAMS.decider.decide(await this.scheduling(command), state).length > 0;
    return isChange ? { mode: 'live', partner_id: null, amount_kobo: null, reference: null } : undefined;
  }

  async isExecuted(_call: RecordedCall, approvalId: string): Promise<boolean> {
    const { state } = await this.streams.of(PRICE_SCHEDULE_STREAMS).load(PRICE_SCHEDULE_ID);
    return state.approval_ids?.includes(approvalId) ?? false;
  }

  private async scheduling({ book, actor, approval }: ScheduleFees): Promise<PriceScheduleCommand> {
    const at = this.clock.iso();
    const effective_at = new Date(book.effective_at ?? at).toISOString();
    const vat_percent = book.vat_percent ?? (await this.queries.execute(new GetPriceBook(at))).vat_percent;
    return { kind: 'schedule', fees_kobo: feesInKobo(book), vat_percent, effective_at, at, actor, approval };
  }

  private async schedule(command: PriceScheduleCommand): Promise<ScheduledPriceBook | null> {
    const { state } = await this.streams.of(PRICE_SCHEDULE_STREAMS).execute(PRICE_SCHEDULE_ID, command);
    await this.directory.announce();
    return pendingAt(state, command.at);
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
