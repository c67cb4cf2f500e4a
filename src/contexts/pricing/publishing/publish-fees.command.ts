import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { DirectoryChanges } from '../../../platform/projecting/in-memory/directory-changes.js';
import { validateBody } from '../../../http/validating/validation.js';
import { type Approval, type ApprovableCall } from '../../approvals/domain/events.js';
import { type Approvable, type Foreseen, FourEyes, type RecordedCall } from '../../approvals/public.js';
import { PRICE_BOOK_ID, PRICE_BOOK_STREAMS, type PriceBook, type PublishPriceBook } from '../domain/price-book.js';
import { DuePriceBooks } from './due-price-books.js';
import { feesInKobo, PriceBookDto } from './pricing.dto.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

/**
 * Publishes a whole price book, and completes once every instance uses it. A rate of VAT that was left out stays as in force. Publishing the
 * fees and the rate in force changes nothing. Raises
 * NotYetInForce if the fees are recorded, but not in force in time.
 */
export class PublishFees extends Command<PriceBook> {
  constructor(
    readonly book: PriceBookDto,
    readonly actor: string,
    /** Set if a second person approved it. */
    readonly approval?: Approval,
  ) {
    super();
  }
}

@CommandHandler(PublishFees)
export class PublishFeesHandler implements ICommandHandler<PublishFees>, Approvable<PublishFees> {
  readonly approvalKind = 'price_publication';

  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly directory: DirectoryChanges,
    private readonly due: DuePriceBooks,
    private readonly fourEyes: FourEyes,
  ) {
    fourEyes.register(this);
  }

  async execute(command: PublishFees): Promise<PriceBook> {
    if (!command.approval) await this.fourEyes.admit(this, command, command.book);
    return await this.publish(await this.publication(command));
  }

  commandOf(call: ApprovableCall['call'], actor: string, approval?: Approval): PublishFees {
    return new PublishFees(validateBody(PriceBookDto, call), actor, approval);
  }

  async foresee(command: PublishFees): Promise<Foreseen> {
    const { state } = await this.streams.of(PRICE_BOOK_STREAMS).load(PRICE_BOOK_ID);
    const decided = PRICE_BOOK_STREAMS.decider.decide(await this.publication(command), state);
    const isChange = decided.some(({ data }) => data.schedule_revision === undefined);
    return isChange ? { mode: 'live', partner_id: null, amount_kobo: null, reference: null } : undefined;
  }

  async isExecuted(_call: RecordedCall, approvalId: string): Promise<boolean> {
    const { state } = await this.streams.of(PRICE_BOOK_STREAMS).load(PRICE_BOOK_ID);
    return state.approval_ids?.includes(approvalId) ?? false;
  }

  private async publication({ book, actor, approval }: PublishFees): Promise<PublishPriceBook> {
    const at = this.clock.iso();
    return { due: await this.due.at(at), fees_kobo: feesInKobo(book), vat_percent: book.vat_percent ?? undefined, at, actor, approval };
  }

  private async publish(publication: PublishPriceBook): Promise<PriceBook> {
    const committed = await this.streams.of(PRICE_BOOK_STREAMS).execute(PRICE_BOOK_ID, publication);
    // Lookups read the log, so they charge the fees before the read model shows them.
    await this.directory.announce();
    await this.directory.waitFor(committed, { stream: `pricebook-${PRICE_BOOK_ID}`, readModel: 'price_book' });
    return committed.state;
  }
}
