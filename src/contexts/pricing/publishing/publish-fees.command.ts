import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { DirectoryChanges } from '../../../platform/projecting/in-memory/directory-changes.js';
import { PRICE_BOOK_ID, PRICE_BOOK_STREAMS, type PriceBook } from '../domain/price-book.js';
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
    private readonly due: DuePriceBooks,
  ) {}

  async execute({ book, actor }: PublishFees): Promise<PriceBook> {
    const at = this.clock.iso();
    const publish = { due: await this.due.at(at), fees_kobo: feesInKobo(book), vat_percent: book.vat_percent ?? undefined, at, actor };
    const committed = await this.streams.of(PRICE_BOOK_STREAMS).execute(PRICE_BOOK_ID, publish);
    // Lookups read the log, so they charge the fees before the read model shows them.
    await this.directory.announce();
    await this.directory.waitFor(committed, { stream: `pricebook-${PRICE_BOOK_ID}`, readModel: 'price_book' });
    return committed.state;
  }
}
