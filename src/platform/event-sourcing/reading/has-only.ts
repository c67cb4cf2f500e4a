import { type EventStore } from '../event-store.js';
import { categoryOf } from '../stream-kind.js';

/** A log with more events is not new, whatever they are. */
const MAX_EVENTS = 1_000;

/** Returns whether the log has no events, or a few of the given categories alone. */
export async function hasOnly(eventStore: Pick<EventStore, 'allPage'>, categories: readonly string[]): Promise<boolean> {
  let found = 0;
  for (let after: bigint | undefined; ;) {
    const { events, next } = await eventStore.allPage({ after, maxCount: MAX_EVENTS });
    found += events.length;
    if (found > MAX_EVENTS || events.some(({ stream }) => !categories.includes(categoryOf(stream)))) return false;
    if (next === undefined) return true;
    after = next;
  }
}
