import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { Cursors } from '../../../http/validating/paging.js';
import { type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { notificationView } from '../domain/notification.js';
import { EventArrivals } from './event-arrivals.js';
import { type EventFilter, EventList, type FoundEvents, type ListedNotification } from './event-list.js';
import { type EventPage } from './events.dto.js';

const CURSORS = new Cursors('events', 'position');
/** Lower than every sequence: the first event of a log notifies nobody. */
const BEFORE_ALL = '0';

interface PageOfEvents {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** How long to wait for the first event, if there is none. */
  readonly waitMs: number;
}

/**
 * Lists a partner's events, oldest first (decisions, "Events").
 * @throws ValidationFailed if this list made no such cursor, or made it before a restore that lost events
 * @throws TooManyRequests if too many calls of the partner are waiting
 */
export class GetEvents extends Query<EventPage> {
  constructor(
    readonly partner: Pick<PartnerContext, 'partner_id' | 'mode'>,
    readonly filter: EventFilter,
    readonly page: PageOfEvents,
    /** Aborted when the caller disconnects. */
    readonly gone: AbortSignal,
  ) {
    super();
  }
}

@QueryHandler(GetEvents)
export class GetEventsHandler implements IQueryHandler<GetEvents> {
  constructor(
    private readonly list: EventList,
    private readonly arrivals: EventArrivals,
  ) {}

  async execute(query: GetEvents): Promise<EventPage> {
    const { partner, page } = query;
    const [after] = CURSORS.position(page.cursor) ?? [BEFORE_ALL];
    const events = page.waitMs > 0 ? await this.awaited(query, after) : (await this.first(query, after)).events;
    const last = events.at(-1)?.sequence ?? after;
    return { events: events.map((event) => notificationView({ ...event, mode: partner.mode })), next_cursor: CURSORS.at([last]) };
  }

  private async awaited(query: GetEvents, after: string): Promise<readonly ListedNotification[]> {
    const { partner, filter, page, gone } = query;
    const deadline = performance.now() + page.waitMs;
    return await this.arrivals.wait(partner.partner_id, async (waiter) => {
      let found = await this.first(query, after);
      while (found.events.length === 0 && (await waiter.next(deadline - performance.now(), gone)))
        found = await this.list.after(found.searchedTo, partner, filter, page.limit);
      return found.events;
    });
  }

  private async first({ partner, filter, page }: GetEvents, after: string): Promise<FoundEvents> {
    // A cursor that is older than what is kept goes on with the oldest event that is (decisions, "Events").
    const found = await this.list.after(after, partner, filter, page.limit);
    if (found.events.length === 0 && (await this.list.isBefore(after)))
      throw new ValidationFailed({
        cursor: ['The cursor field must be of an event that the list has reached; after a restore of the service, begin without a cursor.'],
      });
    return found;
  }
}
