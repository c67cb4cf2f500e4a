import { Injectable } from '@nestjs/common';
import { type CommandResult } from '../../../platform/event-sourcing/writing/batch.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { DirectoryChanges } from '../../../platform/projecting/in-memory/directory-changes.js';
import { type PricingEvent } from '../domain/events.js';
import { PRICE_BOOK_ID, PRICE_BOOK_STREAMS, type PriceBookState } from '../domain/price-book.js';
import { dueAt, pendingAt, PRICE_SCHEDULE_ID, PRICE_SCHEDULE_STREAMS, type ScheduledPriceBook } from '../domain/price-schedule.js';

/** Publishes the schedules whose time has come. Any number of processes may do so at once: the price book's stream takes each of them once. */
@Injectable()
export class DuePriceBooks {
  constructor(
    private readonly streams: Streams,
    private readonly directory: DirectoryChanges,
  ) {}

  /** Returns the schedules that are due at a time (ISO 8601, UTC), and which no event says to be published. */
  async at(at: string): Promise<readonly ScheduledPriceBook[]> {
    return dueAt((await this.streams.of(PRICE_SCHEDULE_STREAMS).load(PRICE_SCHEDULE_ID)).state, at);
  }

  /** Returns the price book that is scheduled and not in force yet at a time (ISO 8601, UTC), read from the log; null if none is. */
  async pendingAt(at: string): Promise<ScheduledPriceBook | null> {
    return pendingAt((await this.streams.of(PRICE_SCHEDULE_STREAMS).load(PRICE_SCHEDULE_ID)).state, at);
  }

  /** Publishes what is due at a time. Returns the events, and the newest version. */
  async publish(at: string): Promise<Pick<CommandResult<PriceBookState, PricingEvent>, 'events' | 'state'>> {
    const due = await this.at(at);
    return await this.streams.of(PRICE_BOOK_STREAMS).execute(PRICE_BOOK_ID, { due, at, actor: 'service' });
  }

  /** Records that what is due at a time was published, and completes once every instance has dropped the prices that it has in its cache. */
  async fulfil(at: string): Promise<void> {
    for (const { schedule_revision, actor } of await this.at(at))
      await this.streams.of(PRICE_SCHEDULE_STREAMS).execute(PRICE_SCHEDULE_ID, { kind: 'fulfil', schedule_revision, at, actor });
    await this.directory.announce();
  }
}
