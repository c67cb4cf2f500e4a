import { type StoredEvent } from '../event-sourcing/recorded-event.js';
import { type EventSkipped } from './domain/events.js';

/** The stream of operators' decisions that the log must show. */
const OPERATIONS_STREAM = 'operations-main';

/** The part of the event store that {@link SkippedEvents} reads. */
export interface StreamSource {
  streamPages(stream: string, from?: bigint, pageSize?: number): AsyncIterable<readonly StoredEvent[]>;
}

/** The events that operators decided to pass over. They are read from the log when an event that cannot be used asks for them. */
export class SkippedEvents {
  private readonly ids = new Set<string>();
  private next = 0n;

  constructor(private readonly eventStore: StreamSource) {}

  /** Returns whether the event was skipped, by the log as it is now. */
  async has({ id }: Pick<StoredEvent, 'id'>): Promise<boolean> {
    if (!this.ids.has(id)) await this.readNew();
    return this.ids.has(id);
  }

  private async readNew(): Promise<void> {
    for await (const page of this.eventStore.streamPages(OPERATIONS_STREAM, this.next)) {
      for (const event of page) {
        const id = skippedIdOf(event);
        if (id !== undefined) this.ids.add(id);
        this.next = event.revision + 1n;
      }
    }
  }
}

/** Returns the id of the event that this event skips. An event of another shape skips nothing. */
export function skippedIdOf({ stream, type, data }: Pick<StoredEvent, 'stream' | 'type' | 'data'>): string | undefined {
  if (type !== ('EventSkipped' satisfies EventSkipped['type']) || stream !== OPERATIONS_STREAM) return undefined;
  const { event_id } = (data as Partial<EventSkipped['data']> | undefined) ?? {};
  return typeof event_id === 'string' ? event_id : undefined;
}
