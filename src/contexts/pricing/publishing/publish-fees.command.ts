import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { DirectoryChanges } from '../../../platform/projecting/in-memory/directory-changes.js';
import { type Fields } from '../../../http/validating/dto.js';
import { type Approval, type ApprovableCall } from '../../approvals/domain/events.js';
import { type Approvable, type Foreseen, FourEyes } from '../../approvals/public.js';
import { PRICE_BOOK_ID, PRICE_BOOK_STREAMS, type PriceBook, type PublishPriceBook } from '../domain/price-book.js';
import { DuePriceBooks } from './due-price-books.js';
import { feesInKobo, type PriceBookDto } from './pricing.dto.js';
import { Streams } from '../../../platform/event-sourcing/writing/streams.js';

/**
 * Publishes a whole price book, and completes once every instance uses it. A rate of VAT that was left out stays as in force. Publishing the
 * fees and the rate in force changes nothing. Raises
 * NotYetInForce if the fees are recorded, but not in force in time.
 */
export class PublishFees extends Command<PriceBook> {
  constructor(
    readonly book: Fields<PriceBookDto>,
    readonly actor: string,
    /** Set if a second person approved it. */
    readonly approval?: Approval,
  ) {
    super();
  }
}

@CommandHandler(PublishFees)
export class PublishFeesHandler implements ICommandHandler<PublishFees>, Approvable {
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

  async execute({ book, actor, approval }: PublishFees): Promise<PriceBook> {
    if (!approval) await this.fourEyes.admit(this, { ...book }, actor);
    return await this.publish(book, actor, approval);
  }

  async foresee(book: PriceBookCall): Promise<Foreseen> {
    const { state } = await this.streams.of(PRICE_BOOK_STREAMS).load(PRICE_BOOK_ID);
    const decided = PRICE_BOOK_STREAMS.decider.decide(await this.commandOf(book, ''), state);
    const isChange = decided.some(({ data }) => data.schedule_revision === undefined);
    return isChange ? { mode: 'live', partner_id: null, amount_kobo: null, reference: null } : undefined;
  }

  async executeApproved(book: PriceBookCall, actor: string, approval: Approval): Promise<void> {
    await this.publish(book, actor, approval);
  }

  async isExecuted(_book: PriceBookCall, approvalId: string): Promise<boolean> {
    const { state } = await this.streams.of(PRICE_BOOK_STREAMS).load(PRICE_BOOK_ID);
    return state.approval_ids?.includes(approvalId) ?? false;
  }

  private async commandOf(book: Fields<PriceBookDto>, actor: string, approval?: Approval): Promise<PublishPriceBook> {
    const at = this.clock.iso();
    return { due: await this.due.at(at), fees_kobo: feesInKobo(book), vat_percent: book.vat_percent ?? undefined, at, actor, approval };
  }

  private async publish(book: Fields<PriceBookDto>, actor: string, approval?: Approval): Promise<PriceBook> {
    const publish = await this.commandOf(book, actor, approval);
    const committed = await this.streams.of(PRICE_BOOK_STREAMS).execute(PRICE_BOOK_ID, publish);
    // Lookups read the log, so they charge the fees before the read model shows them.
    await this.directory.announce();
    await this.directory.waitFor(committed, { stream: `pricebook-${PRICE_BOOK_ID}`, readModel: 'price_book' });
    return committed.state;
  }
}

type PriceBookCall = ApprovableCall['call'] & Fields<PriceBookDto>;
