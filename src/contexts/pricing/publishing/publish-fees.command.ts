import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { DirectoryChanges } from '../../../platform/projecting/in-memory/directory-changes.js';
import { PRICE_BOOK_ID, PRICE_BOOK_STREAMS, type PriceBook, type PublishPriceBook } from '../domain/price-book.js';
import { feesInKobo, type PriceBookDto } from './pricing.dto.js';
import { Streams } from '../../../platform/event-sourcing/writing/streams.js';

/**
 * Publishes a whole price book, and completes once every instance uses it. Publishing the fees in force changes nothing. Raises
 * NotYetInForce if the fees are recorded, but not in force in time.
 */
export class PublishFees extends Command<PriceBook> {
  constructor(
    readonly book: PriceBookDto,
    readonly actor: string,
  ) {
    super();
  }
}

@CommandHandler(PublishFees)
export class PublishFeesHandler implements ICommandHandler<PublishFees> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly directory: DirectoryChanges,
  ) {}

  async execute({ book, actor }: PublishFees): Promise<PriceBook> {
    return await this.publish({ fees_kobo: feesInKobo(book), actor });
  }

  /** Publishes fees that were validated, now or when they were scheduled. */
  async publish(fees: Omit<PublishPriceBook, 'at'>): Promise<PriceBook> {
    const committed = await this.streams.of(PRICE_BOOK_STREAMS).execute(PRICE_BOOK_ID, { ...fees, at: this.clock.iso() });
    await this.directory.waitFor(committed, { stream: `pricebook-${PRICE_BOOK_ID}`, readModel: 'price_book' });
    return committed.state;
  }
}
