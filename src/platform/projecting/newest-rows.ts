import { type EntitySchema } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Codec } from '../event-sourcing/coding/codec.js';
import { EventStore } from '../event-sourcing/event-store.js';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';
import { GenuineEvents } from '../unusable-events/genuine-events.js';
import { type Authenticated } from './projection.js';
import { ReadModels } from './read-models.js';
import { RowForged, RowMacs } from './row-macs.js';

/** A row that counts only if it shows its stream's last event. */
export interface RowOfStream {
  readonly table: EntitySchema;
  readonly stream: string;
  readonly row: Authenticated;
}

const READS = 3;

/**
 * Tells the newest row of a stream from an older one that somebody put back, whose MAC holds as well: the newest one has the revision of
 * the stream's last event (evidence, "Where a table decides").
 */
@Injectable()
export class NewestRows {
  private readonly events: GenuineEvents;

  constructor(
    eventStore: EventStore,
    codec: Codec,
    private readonly macs: RowMacs,
    private readonly readModels: ReadModels,
  ) {
    this.events = new GenuineEvents(eventStore, codec);
  }

  /**
   * Returns what `read` returns. If its rows are older than their streams, it waits for the read models, and reads again.
   * @throws ReadModelBehind if they do not show the last events in time; RowForged if they do, and the rows stay older; HistoryMissing, EventSetAside and errors of the event store
   */
  async read<T>(read: () => Promise<T>, rowsOf: (found: T) => readonly RowOfStream[]): Promise<T> {
    for (let reads = 1; ; reads += 1) {
      const found = await read();
      const newer = await this.newer(rowsOf(found));
      if (!newer) return found;
      if (reads === READS) {
        this.macs.note(newer.table, newer.row);
        throw new RowForged(newer.table.meta.tableName);
      }
      await this.readModels.waitForPosition(newer.event.position, [newer.table.meta.tableName]);
    }
  }

  /** Returns the last event of the first of the rows' streams that is newer than its row; undefined if none is. */
  async newer(rows: readonly RowOfStream[]): Promise<(RowOfStream & { readonly event: StoredEvent }) | undefined> {
    const found = await Promise.all(
      rows.map(async (each) => {
        const event = await this.events.last(each.stream);
        return event && event.revision > BigInt(each.row.event_revision) ? [{ ...each, event }] : [];
      }),
    );
    return found.flat()[0];
  }
}
