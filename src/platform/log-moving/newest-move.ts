import { type Codec } from '../event-sourcing/coding/codec.js';
import { type EventStore } from '../event-sourcing/event-store.js';
import { LOG_MOVED, LOG_STREAM } from './record-move.js';

/**
 * Returns the position of the newest event that says that the log was moved to this event store; -1 if it never was. The events before it
 * were recorded by another event store first, so this one's time of recording says nothing about them.
 * @throws HistoryMissing
 */
export async function newestMove(eventStore: Pick<EventStore, 'streamPages'>, codec: Codec): Promise<bigint> {
  let newest = -1n;
  for await (const page of eventStore.streamPages(LOG_STREAM))
    for (const { type, position } of codec.sort(page).usable) if (type === LOG_MOVED) newest = position;
  return newest;
}
