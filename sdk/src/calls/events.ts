import { type EventPage, type ListEventsData, type ListEventsResponse } from '../api-types.generated.js';
import { ValidationFailedError } from '../error-classes.generated.js';
import { withResponse, type WithResponse } from '../last-response.js';
import { PagedList } from '../paged-list.js';
import { type CallOptions, type Transport } from '../transport.js';

export type ListedEvent = EventPage['events'][number];
type Filter = Omit<NonNullable<ListEventsData['query']>, 'wait'>;

export interface FollowQuery extends Filter {
  /** Seconds for which the service holds a response back until there is an event, at most 30. Default: 25. */
  readonly wait?: number;
  /**
   * Called with the cursor after the last event that your loop has finished. Store it, and pass it as `cursor` after a restart: an event may
   * then come again, but none is left out.
   */
  readonly saveCursor?: (cursor: string) => void | Promise<void>;
}

/** Whether the service does not know the cursor. */
function refusesCursor(error: unknown): boolean {
  return error instanceof ValidationFailedError && error.fieldErrors.cursor !== undefined;
}

const PATH = '/v1/rupa/events';
const DEFAULT_WAIT_S = 25;
const RESPONSE_MS = 30_000;

/** The events that your endpoints are notified of, for programs that cannot or need not receive webhooks. The service keeps them for 30 days. */
export class Events {
  constructor(private readonly transport: Transport) {}

  /** Lists the events, oldest first, up to the last one. */
  list({ cursor, ...query }: Filter = {}, options?: CallOptions): PagedList<ListedEvent> {
    return new PagedList(async (at) => {
      const { events, next_cursor, lastResponse } = await this.#read({ ...options, query: { ...query, cursor: at } });
      // Only an empty page is the last one; its cursor goes on to work.
      return withResponse({ items: events, next_cursor: events.length === 0 ? null : next_cursor }, lastResponse);
    }, cursor);
  }

  /**
   * Yields the events after the cursor, oldest first, and then each event as soon as there is one, until the signal is aborted. It outlasts
   * interruptions of the service: it retries as often as is necessary, unless `maxRetries` is given. A cursor that
   * is older than 30 days goes on with the oldest event that is kept. After a restore of the service, which may not know the cursor, this goes
   * on without one, and events may come again.
   * @throws ValidationFailedError if the given cursor is wrong; or any other error that a retry cannot mend
   */
  async *follow(
    { cursor, wait = DEFAULT_WAIT_S, saveCursor, ...query }: FollowQuery = {},
    options?: CallOptions,
  ): AsyncGenerator<ListedEvent, void> {
    const patience = { maxRetries: Infinity, timeoutMs: wait * 1_000 + RESPONSE_MS, ...options };
    let wasAccepted = false;
    for (let at = cursor; ;) {
      const page = await this.#read({ ...patience, query: { ...query, cursor: at, wait } }).catch((error: unknown) => {
        if (wasAccepted && refusesCursor(error)) return undefined;
        throw error;
      });
      if (!page) {
        [at, wasAccepted] = [undefined, false];
        continue;
      }
      const { events, next_cursor } = page;
      wasAccepted = true;
      yield* events;
      at = next_cursor;
      if (events.length > 0) await saveCursor?.(next_cursor);
    }
  }

  async #read(request: CallOptions & { query: Record<string, string | number | undefined> }): Promise<WithResponse<EventPage>> {
    return await this.transport.call<ListEventsResponse>('GET', PATH, request);
  }
}
