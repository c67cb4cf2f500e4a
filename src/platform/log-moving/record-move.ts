import { randomUUID } from 'node:crypto';
import { type EventStore } from '../event-sourcing/event-store.js';
import { type RawEvent } from '../event-sourcing/recorded-event.js';
import { type Codec } from '../event-sourcing/coding/codec.js';

/** The log was moved to the event store that has this event, in the stream `log-main` (docs/adr/0011). */
export type LogMoved = {
  readonly type: 'LogMoved';
  readonly data: {
    /** Number of leaves of the tree of the log that were moved. They are the events before this one. */
    readonly events: number;
    /** ISO 8601, UTC; never earlier than that of the event before. */
    readonly recorded_at: string;
    readonly actor: string;
  };
};

const LOG_STREAM = 'log-main';
const LOG_MOVED: LogMoved['type'] = 'LogMoved';

/** Returns whether an event of a copy is the one that its move appended after so many copied events. */
export function isMoveOf(events: number, { stream, type, data }: Pick<RawEvent, 'stream' | 'type' | 'data'>): boolean {
  if (stream !== LOG_STREAM || type !== LOG_MOVED) return false;
  try {
    return (JSON.parse(data.toString()) as Partial<LogMoved['data']> | null)?.events === events;
  } catch {
    return false;
  }
}

/**
 * Appends to a complete copy that it is one. The event is dated by the clock of this process, but not before the log's newest event.
 * @throws Error if another client has written to the copy
 */
export async function recordMove(copy: EventStore, events: number, now: Date): Promise<void> {
  const revision = await copy.lastRevision(LOG_STREAM);
  // An event of another program may have no data.
  const newest = ((await copy.newestEvent())?.data as Partial<LogMoved['data']> | undefined)?.recorded_at;
  const at = now.toISOString();
  const recorded_at = typeof newest === 'string' && newest > at ? newest : at;
  const data: LogMoved['data'] = { events, recorded_at, actor: 'service' };
  const event = { id: randomUUID(), type: LOG_MOVED, data, metadata: { $correlationId: randomUUID(), schema_version: 1 } };
  const { kind } = await copy.append(LOG_STREAM, [event], revision);
  if (kind === 'wrong_revision') throw new Error('Another client writes to the target. Make sure that nothing does, and run this again.');
}

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
