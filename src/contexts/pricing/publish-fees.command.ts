import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../kernel/clock.js';
import { DirectoryChanges } from '../../platform/projecting/directory-changes.js';
import { type Fees, type PriceBook } from './domain/price-book.js';
import { PRICE_BOOK_ID, PriceBookStream } from './price-book-stream.js';

/**
 * Publishes a whole price book, and completes once every instance uses it. Publishing the fees in force changes nothing. Raises
 * NotYetInForce if the fees are recorded, but not in force in time.
 */
export class PublishFees extends Command<PriceBook> {
  constructor(
    readonly feesKobo: Fees,
    readonly actor: string,
    /** Revision of the schedule that is due; undefined for a publication at once. */
    readonly scheduleRevision?: number,
  ) {
    super();
  }
}

@CommandHandler(PublishFees)
export class PublishFeesHandler implements ICommandHandler<PublishFees> {
  constructor(
    private readonly stream: PriceBookStream,
    private readonly clock: Clock,
    private readonly directory: DirectoryChanges,
  ) {}

  async execute({ feesKobo, actor, scheduleRevision }: PublishFees): Promise<PriceBook> {
    const scheduled = scheduleRevision === undefined ? {} : { schedule_revision: scheduleRevision };
    const committed = await this.stream.execute(PRICE_BOOK_ID, { fees_kobo: feesKobo, ...scheduled, at: this.clock.iso(), actor });
    await this.directory.waitFor(committed, { stream: `pricebook-${PRICE_BOOK_ID}`, readModel: 'price_book' });
    return committed.state;
  }
}
