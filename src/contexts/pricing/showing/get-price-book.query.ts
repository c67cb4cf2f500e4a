import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { newestPriceBook } from '../../../../projections/price-book/price-book.reader.js';
import { Clock } from '../../../kernel/clock.js';
import { Codec, asRecorded } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore, HistoryMissing } from '../../../platform/event-sourcing/event-store.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { DirectoryCache } from '../../../platform/projecting/in-memory/directory-lease.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { ReadModelListener } from '../../../platform/projecting/in-memory/read-model-listener.js';
import { type PriceBook, PRICE_BOOK_ID } from '../domain/price-book.js';
import {
  BUILT_IN,
  type BookInForce,
  priceBookInForce,
  type PublishedPriceBook,
  type Schedules,
  schedulesOf,
  PriceTimeline,
} from '../domain/price-timeline.js';
import { DuePriceBooks } from '../publishing/due-price-books.js';
import { type RecordedEvent } from '../../../platform/event-sourcing/recorded-event.js';
import { GenuineEvents } from '../../../platform/unusable-events/genuine-events.js';
import { type PriceScheduleEvent, type PricingEvent } from '../domain/events.js';
import { PRICE_SCHEDULE_ID } from '../domain/price-schedule.js';

/** Returns the price book in force at a time (by default: now). Raises EventSetAside while an event may have changed it that cannot be used. */
export class GetPriceBook extends Query<PriceBook> {
  /** @param at ISO 8601, UTC */
  constructor(readonly at?: string) {
    super();
  }
}

/** The versions in force at the time of the read and later, by which any later time finds its own without another read. */
interface Prices {
  books: readonly PublishedPriceBook[];
}

/**
 * Reads prices from the log, so that nobody charges others by editing a table (evidence, "Where a table decides"). The price book in force
 * follows from the log and the time alone (docs/adr/0051). The read model serves lookups while the history of prices is missing.
 */
@QueryHandler(GetPriceBook)
export class GetPriceBookHandler implements IQueryHandler<GetPriceBook> {
  private readonly cache: DirectoryCache<Prices>;
  private publishing: Promise<void> | undefined;

  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
    private readonly due: DuePriceBooks,
    private readonly clock: Clock,
    listener: ReadModelListener,
  ) {
    this.cache = new DirectoryCache(listener, 1);
  }

  async execute({ at }: GetPriceBook = new GetPriceBook()): Promise<PriceBook> {
    const { books } = await this.prices();
    return priceBookInForce(books, this.timeFor(books, at)).book;
  }

  /**
   * Returns the price book by which a debit is charged. If its time has come and no event says so yet, it is published first: what was
   * charged can be neither cancelled nor given another version any more.
   * @param notBefore the earliest time of the debit, if that is known; ISO 8601, UTC
   */
  async toCharge(notBefore?: string): Promise<BookInForce> {
    const prices = await this.prices();
    for (;;) {
      const at = this.timeFor(prices.books, notBefore);
      const inForce = priceBookInForce(prices.books, at);
      if (!inForce.book.is_waiting) return inForce;
      this.publishing ??= this.publish(prices, at).finally(() => {
        this.publishing = undefined;
      });
      await this.publishing;
    }
  }

  private async publish(prices: Prices, at: string): Promise<void> {
    const { events } = await this.due.publish(at).catch(unlessHistoryMissing);
    prices.books = await this.read();
    // Another instance may not know yet that a cancellation came too late. No lookup waits for it.
    if (events.length > 0) void this.due.fulfil(at).catch(() => undefined);
  }

  /** A publication is in force as soon as it is in the log, although the clock of this process may be behind that of its writer. */
  private timeFor(books: readonly PublishedPriceBook[], notBefore = ''): string {
    const newest = books.findLast(({ is_scheduled }) => !is_scheduled)?.effective_at ?? '';
    return [this.clock.iso(), newest, notBefore].reduce((latest, time) => (time > latest ? time : latest));
  }

  private async prices(): Promise<Prices> {
    return await this.cache.get('current', async () => ({ books: await this.read() }));
  }

  private async read(): Promise<readonly PublishedPriceBook[]> {
    const now = this.clock.iso();
    let books: PublishedPriceBook[] = [];
    try {
      for await (const book of publishedPriceBooks(this.eventStore, this.codec))
        books = (book.effective_at ?? '') <= now && !book.is_waiting ? [book] : [...books, book];
    } catch (error) {
      unlessHistoryMissing(error);
      return [{ ...BUILT_IN, ...(await newestPriceBook(this.pool, this.macs)) }];
    }
    return books;
  }
}

/** Lookups go on with the prices of the read model while the history of prices is missing. */
function unlessHistoryMissing(error: unknown): { readonly events: readonly [] } {
  if (error instanceof HistoryMissing) return { events: [] };
  throw error;
}

/** Returns every version of the price book that is or was in force, as {@link publishedPriceBooks} yields them. */
export class GetPriceBookHistory extends Query<AsyncGenerator<PublishedPriceBook>> {}

@QueryHandler(GetPriceBookHistory)
export class GetPriceBookHistoryHandler implements IQueryHandler<GetPriceBookHistory> {
  constructor(
    private readonly eventStore: EventStore,
    private readonly codec: Codec,
    private readonly clock: Clock,
  ) {}

  execute(): Promise<AsyncGenerator<PublishedPriceBook>> {
    return Promise.resolve(this.begun());
  }

  private async *begun(): AsyncGenerator<PublishedPriceBook> {
    const now = this.clock.iso();
    for await (const book of publishedPriceBooks(this.eventStore, this.codec))
      if (!book.is_waiting || (book.effective_at ?? '') <= now) yield book;
  }
}

type PriceLog = Pick<EventStore, 'readStream' | 'streamPages' | 'lastEvent'>;

/**
 * Yields every version of the price book from the event log in ascending order, those that follow by schedule last; of these, the last one
 * may lie in the future. It begins with the built-in one if the log does not.
 * @throws HistoryMissing or EventSetAside if the log may have others
 */
export async function* publishedPriceBooks(eventStore: PriceLog, codec: Codec): AsyncGenerator<PublishedPriceBook> {
  const genuine = new GenuineEvents(eventStore, codec);
  const timeline = new PriceTimeline(await readSchedules(eventStore, genuine));
  for await (const page of eventStore.streamPages(`pricebook-${PRICE_BOOK_ID}`)) {
    for (const event of await genuine.decode(page)) {
      const published = asRecorded<PricingEvent>(event);
      // Its schedule may have been recorded after the schedules were read.
      if (!timeline.knows(published)) timeline.read(await readSchedules(eventStore, genuine));
      yield* timeline.add(published);
    }
  }
  yield* timeline.rest();
}

async function readSchedules(eventStore: PriceLog, genuine: GenuineEvents): Promise<Schedules> {
  const events: RecordedEvent<PriceScheduleEvent>[] = [];
  for await (const page of eventStore.streamPages(`priceschedule-${PRICE_SCHEDULE_ID}`))
    for (const event of await genuine.decode(page)) events.push(asRecorded<PriceScheduleEvent>(event));
  return schedulesOf(events);
}
