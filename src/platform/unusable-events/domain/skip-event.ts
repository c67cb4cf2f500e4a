import { type Decider } from '../../event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../event-sourcing/stream-kind.js';
import { type EventSkipped } from './events.js';

export interface SkipEvent {
  readonly event_id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly reason: string;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly actor: string;
}

/** The ids of the events that were skipped. */
type Skipped = ReadonlySet<string>;

/** A second decision about the same event changes nothing. */
function decide({ at, ...event }: SkipEvent, skipped: Skipped): readonly EventSkipped[] {
  return skipped.has(event.event_id) ? [] : [{ type: 'EventSkipped', data: { ...event, recorded_at: at } }];
}

export const skipEventDecider: Decider<Skipped, SkipEvent, EventSkipped> = {
  initialState: new Set(),
  decide,
  evolve: (skipped, { data }) => new Set([...skipped, data.event_id]),
};

/** The id of the only stream of operators' decisions. */
export const OPERATIONS_ID = 'main';

/** An event in this stream that cannot be used stops no decision, because decisions are how such events are skipped. */
export const OPERATIONS_STREAMS: StreamKind<Skipped, SkipEvent, EventSkipped> = {
  ...SHORT_STREAM,
  category: 'operations',
  independent: true,
  decider: skipEventDecider,
};
