import { Injectable } from '@nestjs/common';
import { Codec } from '../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { type RecordedEvent } from '../../platform/event-sourcing/recorded-event.js';
import { GenuineEvents } from '../../platform/unusable-events/genuine-events.js';

/** Reads reports from the log, for as long as the read models do not show them. */
@Injectable()
export class ReportEvents {
  private readonly genuine: GenuineEvents;

  constructor(
    private readonly eventStore: EventStore,
    codec: Codec,
  ) {
    this.genuine = new GenuineEvents(eventStore, codec);
  }

  /** Returns all events of the streams, each stream's in their order. @throws EventSetAside, HistoryMissing */
  async of(streams: readonly string[]): Promise<readonly RecordedEvent[]> {
    const pages = streams.map(async (stream) => this.genuine.decode(await this.eventStore.readStream(stream)));
    return (await Promise.all(pages)).flat();
  }
}
