import { type Pool } from 'pg';
import { type Codec } from '../event-sourcing/codec.js';
import { type EventStore } from '../event-sourcing/event-store.js';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';
import { unusableEvents } from './unusable-table.js';

/** Returns the events that an earlier release set aside and this one can use. Read models of their types have to be rebuilt. */
export async function usableAgain(pool: Pool, eventStore: EventStore, codec: Codec): Promise<readonly StoredEvent[]> {
  const found: StoredEvent[] = [];
  for (const { stream, revision, event_id } of await unusableEvents(pool)) {
    const [event] = await eventStore.readStream(stream, { from: BigInt(revision), maxCount: 1 });
    if (event?.id === event_id) found.push(...(await codec.decodeUsable([event])).events.flatMap(() => event));
  }
  return found;
}
