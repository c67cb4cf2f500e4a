import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../kernel/clock.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { type Fees, type PriceBook } from './domain/price-book.js';
import { PRICE_BOOK_ID, PriceBookStream } from './price-book-stream.js';

/** Publishes a whole price book. Publishing the fees in force changes nothing. */
export class PublishFees extends Command<PriceBook> {
  constructor(
    readonly feesKobo: Fees,
    readonly actor: string,
  ) {
    super();
  }
}

@CommandHandler(PublishFees)
export class PublishFeesHandler implements ICommandHandler<PublishFees> {
  constructor(
    private readonly stream: PriceBookStream,
    private readonly clock: Clock,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ feesKobo, actor }: PublishFees): Promise<PriceBook> {
    const committed = await this.stream.execute(PRICE_BOOK_ID, { fees_kobo: feesKobo, at: this.clock.iso(), actor });
    await this.readModels.waitFor(committed);
    return committed.state;
  }
}
