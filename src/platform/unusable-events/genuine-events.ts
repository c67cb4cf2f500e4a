import { type Codec } from '../event-sourcing/coding/codec.js';
import { type EventStore } from '../event-sourcing/event-store.js';
import { type RecordedEvent, type StoredEvent } from '../event-sourcing/recorded-event.js';
import { EventSetAside, type UnusableEvent } from '../event-sourcing/coding/unusable-event.js';
import { SkippedEvents } from './skipped-events.js';

/** Events per read when the newest ones of a stream are skipped ones. */
const BACKWARDS_PAGE = 64;

/** Reads streams for those who build upon them: without the events that operators skipped, and never past one that cannot be used. */
export class GenuineEvents {
  private readonly skipped: SkippedEvents;

  constructor(
    private readonly eventStore: Pick<EventStore, 'readStream' | 'streamPages' | 'lastEvent'>,
    private readonly codec: Codec,
  ) {
    this.skipped = new SkippedEvents(eventStore);
  }

  /** Decodes a page of a stream. @throws EventSetAside for an event that cannot be used and was not skipped */
  async decode(page: readonly StoredEvent[]): Promise<readonly RecordedEvent[]> {
    const { events, unusable } = await this.codec.decodeUsable(page);
    await this.refuseUnlessSkipped(unusable);
    return events;
  }

  /** Returns a page of a stream as it is stored, without the skipped events. @throws EventSetAside */
  async stored(page: readonly StoredEvent[]): Promise<readonly StoredEvent[]> {
    const { usable, unusable } = this.codec.sort(page);
    await this.refuseUnlessSkipped(unusable);
    return usable;
  }

  /** Returns the last event of a stream that was not skipped, as it is stored. @throws EventSetAside */
  async last(stream: string): Promise<StoredEvent | undefined> {
    const last = await this.eventStore.lastEvent(stream);
    if (!last) return undefined;
    let found = await this.stored([last]);
    for (let from = last.revision - 1n; found.length === 0 && from >= 0n; from -= BigInt(BACKWARDS_PAGE))
      found = await this.stored(await this.eventStore.readStream(stream, { from, backwards: true, maxCount: BACKWARDS_PAGE }));
    return found[0];
  }

  private async refuseUnlessSkipped(unusable: readonly UnusableEvent[]): Promise<void> {
    for (const each of unusable) if (!(await this.skipped.has(each.event))) throw EventSetAside.of(each);
  }
}
