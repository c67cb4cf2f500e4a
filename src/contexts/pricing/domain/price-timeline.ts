import { vatPercentOf } from '../../../kernel/vat.js';
import { type AtRevision } from '../../../platform/event-sourcing/decider.js';
import { type PriceScheduleEvent, type PricingEvent } from './events.js';
import { DEFAULT_PRICE_BOOK, type PriceBook } from './price-book.js';
import { priceScheduleDecider, scheduledBy, type PriceSchedule, type ScheduledPriceBook } from './price-schedule.js';

/** A version of the price book with its times, as the log has them. */
export interface PublishedPriceBook extends PriceBook {
  /**
   * When an administrator published the fees or scheduled them. ISO 8601, UTC; null for the built-in first version in a log that does not
   * begin with it.
   */
  readonly published_at: string | null;
  /** From when on the fees are in force. ISO 8601, UTC; null like `published_at`. Never before that of the version before. */
  readonly effective_at: string | null;
  readonly actor: string | null;
  /** Set if the version was scheduled. */
  readonly is_scheduled?: true;
  /** Set as long as no event says that the schedule was fulfilled: its time alone puts the version in force. */
  readonly is_waiting?: true;
}

/** The built-in version, with which a history begins that has no published first one. */
export const BUILT_IN: PublishedPriceBook = { ...DEFAULT_PRICE_BOOK, published_at: null, effective_at: null, actor: null };

/** The schedules of a log: those that no event has ended, and each one by its revision. */
export interface Schedules extends PriceSchedule {
  readonly byRevision: ReadonlyMap<number, ScheduledPriceBook>;
}

export function schedulesOf(events: readonly AtRevision<PriceScheduleEvent>[]): Schedules {
  const { waiting } = events.reduce(priceScheduleDecider.evolve, priceScheduleDecider.initialState);
  const scheduled = events.flatMap((event) => (event.type === 'PriceBookScheduled' ? [scheduledBy(event)] : []));
  return { waiting, byRevision: new Map(scheduled.map((each) => [each.schedule_revision, each])) };
}

/**
 * Gives each version of the price book its time (docs/adr/0051). A version is published by an event, or it is a schedule whose time comes:
 * that has the next version from then on, whether an event says so yet or not.
 */
export class PriceTimeline {
  private last: PublishedPriceBook | undefined;
  private fulfilled = -1;

  constructor(private schedules: Schedules) {}

  /** Replaces the schedules by those that were read later. */
  read(schedules: Schedules): void {
    this.schedules = schedules;
  }

  /** Returns whether the schedule that an event fulfils is known. */
  knows({ data: { schedule_revision } }: PricingEvent): boolean {
    return schedule_revision === undefined || this.schedules.byRevision.has(schedule_revision);
  }

  /** Adds the next event of the price book's stream. Returns its version, after the built-in one if the log does not begin with version 1. */
  add({ data }: PricingEvent): readonly PublishedPriceBook[] {
    const { version, fees_kobo, recorded_at, actor, schedule_revision } = data;
    const first = this.last === undefined && version > BUILT_IN.version ? [BUILT_IN] : [];
    const plan = schedule_revision === undefined ? undefined : this.schedules.byRevision.get(schedule_revision);
    if (schedule_revision !== undefined) this.fulfilled = schedule_revision;
    const own = plan?.in_force_by_time ? plan.effective_at : recorded_at;
    const times = { published_at: plan?.scheduled_at ?? recorded_at, effective_at: this.notBeforeLast(own), actor };
    this.last = { version, fees_kobo, vat_percent: vatPercentOf(data), ...times, ...(plan && { is_scheduled: true }) };
    return [...first, this.last];
  }

  /** Returns the versions that follow by schedule, the last of which may lie in the future; first the built-in one if nothing was added. */
  rest(): readonly PublishedPriceBook[] {
    const books = this.last ? [] : [BUILT_IN];
    let last = this.last ?? BUILT_IN;
    for (const { fees_kobo, vat_percent, effective_at, actor, schedule_revision, scheduled_at, in_force_by_time } of this.schedules
      .waiting) {
      if (!in_force_by_time || schedule_revision <= this.fulfilled) continue;
      const times = { published_at: scheduled_at, effective_at: laterOf(effective_at, last.effective_at), actor };
      last = { version: last.version + 1, fees_kobo, vat_percent, ...times, is_scheduled: true, is_waiting: true };
      books.push(last);
    }
    return books;
  }

  private notBeforeLast(time: string): string {
    return laterOf(time, this.last?.effective_at ?? null);
  }
}

export interface BookInForce {
  readonly book: PublishedPriceBook;
  /** From when on another one is in force, as far as the log says. ISO 8601, UTC. */
  readonly until: string | undefined;
}

/** Returns the price book in force at a time (ISO 8601, UTC), given every version in ascending order. */
export function priceBookInForce(books: readonly PublishedPriceBook[], at: string): BookInForce {
  const found = books.findLastIndex(({ effective_at }) => effective_at === null || effective_at <= at);
  const index = Math.max(found, 0);
  return { book: books[index] ?? BUILT_IN, until: books[index + 1]?.effective_at ?? undefined };
}

function laterOf(time: string, other: string | null): string {
  return other !== null && other > time ? other : time;
}
