import { type Codec } from '../../event-sourcing/coding/codec.js';
import { type EventStore, HistoryMissing } from '../../event-sourcing/event-store.js';
import { type RecordedEvent } from '../../event-sourcing/recorded-event.js';
import { type Authenticated, type Projection, type Row } from '../projection.js';
import { type RowMacs } from '../row-macs.js';
import { handledEvents, type HandledEvent } from './fold.js';

/** The event store could not be asked for the events between two others, so that the batch has to be repeated. */
export class EventsBetweenUnknown extends Error {
  override name = 'EventsBetweenUnknown';
}

/**
 * Finds rows that somebody put back as they were earlier. Their MACs hold, and the next event would make them the newest rows of their
 * streams, with what earlier events have ended (evidence, "Where a table decides").
 */
export class OlderRows {
  constructor(
    private readonly eventStore: Pick<EventStore, 'streamPages'>,
    private readonly codec: Codec,
    private readonly macs: RowMacs,
  ) {}

  /**
   * Returns the stored rows, by the text of their keys. Those that lack an event before the first one that is to be applied to them get no MAC
   * that holds. @throws EventsBetweenUnknown
   */
  async voided(
    projection: Projection,
    handled: readonly HandledEvent[],
    stored: ReadonlyMap<string, Row>,
  ): Promise<ReadonlyMap<string, Row>> {
    const { followsStream, table } = projection;
    if (!followsStream || stored.size === 0) return stored;
    const [rows, seen] = [new Map(stored), new Set<string>()];
    for (const { event, keys } of handled) {
      for (const [text] of keys) {
        const row = stored.get(text) as (Row & Pick<Authenticated, 'event_revision'>) | undefined;
        if (!row || seen.has(text) || this.macs.isVoid(row)) continue;
        seen.add(text);
        if (!(await this.lacksAnEvent(projection, text, BigInt(row.event_revision), event))) continue;
        this.macs.note(table, row);
        rows.set(text, this.macs.voided(row));
      }
    }
    return rows;
  }

  /** Returns whether the stream has an event of the row between what the row shows and the next one. Skipped ones are not shown. */
  private async lacksAnEvent(projection: Projection, text: string, shown: bigint, next: RecordedEvent): Promise<boolean> {
    if (shown + 1n >= next.revision) return false;
    try {
      for await (const page of this.eventStore.streamPages(next.stream, shown + 1n)) {
        const { handled } = handledEvents(projection, this.codec.sort(page).upcast);
        const earlier = handled.filter(({ event }) => event.revision < next.revision);
        if (earlier.some(({ keys }) => keys.some(([key]) => key === text))) return true;
        if ((page.at(-1)?.revision ?? next.revision) >= next.revision) return false;
      }
      return false;
    } catch (error) {
      // Events that are hidden may have ended what the row grants.
      if (error instanceof HistoryMissing) return true;
      throw new EventsBetweenUnknown(`The events of a stream before the next one could not be read: ${String(error)}`, { cause: error });
    }
  }
}
