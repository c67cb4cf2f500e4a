import { SHORT_STREAM } from '../event-sourcing/writing/batch.js';
import { type Codec } from '../event-sourcing/coding/codec.js';
import { type EventStore } from '../event-sourcing/event-store.js';
import { StreamWriter } from '../event-sourcing/writing/stream-writer.js';
import { type EventSkipped } from './domain/events.js';
import { type SkipEvent, skipEventDecider } from './domain/skip-event.js';

/** The id of the only stream of operators' decisions. */
export const OPERATIONS_ID = 'main';

/** An event in this stream that cannot be used stops no decision, because decisions are how such events are skipped. */
export class OperationsStream extends StreamWriter<ReadonlySet<string>, SkipEvent, EventSkipped> {
  constructor(eventStore: EventStore, codec: Codec) {
    super(eventStore, codec, { ...SHORT_STREAM, category: 'operations', independent: true, decider: skipEventDecider });
  }
}
