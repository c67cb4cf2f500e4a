import { type EventStore } from './event-store.js';
import { logPages } from './read-log.js';
import { type StoredEvent } from './recorded-event.js';

/** How far two logs are the same. */
export interface Compared {
  /** That are the same in both, from the first on. */
  readonly events: number;
  readonly streams: number;
  /** The last hash of each chained stream among them. */
  readonly heads: ReadonlyMap<string, string>;
  /** The last one of them, as it lies in the source. */
  readonly last: StoredEvent | undefined;
  /** Whether the source has more. The target has not: that would be a difference. */
  readonly complete: boolean;
}

/** The target holds an event that the source does not have in that place. */
export class LogsDiffer extends Error {
  override name = 'LogsDiffer';
}

/**
 * Reads both logs side by side to the target's end: the same events, with the same ids, streams, revisions, types, data and metadata, in
 * the same order. Positions are each store's own.
 * @throws LogsDiffer at the first event of the target that is another, or that the source lacks.
 */
export async function compareLogs(
  source: EventStore,
  target: EventStore,
  onEvents: (events: number, last: StoredEvent) => void,
  signal: AbortSignal,
): Promise<Compared> {
  const [left, right] = [eventsOf(source), eventsOf(target)];
  const heads = new Map<string, string>();
  let [events, streams, last]: [number, number, StoredEvent | undefined] = [0, 0, undefined];
  try {
    for (;;) {
      const [theirs, ours] = [await right.next(), await left.next()];
      if (theirs.done) return { events, streams, heads, last, complete: ours.done === true };
      if (ours.done)
        throw new LogsDiffer(`The target holds more than the source: ${named(theirs.value)} at its position ${theirs.value.position}.`);
      const difference = differenceOf(ours.value, theirs.value);
      if (difference !== undefined)
        throw new LogsDiffer(
          `The target holds other events: its ${named(theirs.value)} at position ${theirs.value.position} is not the source's ${named(ours.value)}, told by its ${difference}.`,
        );
      last = ours.value;
      events += 1;
      if (last.revision === 0n) streams += 1;
      const { hash } = theirs.value.metadata;
      if (hash !== undefined) heads.set(last.stream, hash);
      if (events % 1_000 === 0) onEvents(events, last);
      signal.throwIfAborted();
    }
  } finally {
    await Promise.all([left.return(undefined), right.return(undefined)]);
  }
}

function differenceOf(one: StoredEvent, other: StoredEvent): string | undefined {
  if (one.id !== other.id) return 'id';
  if (one.stream !== other.stream) return 'stream';
  if (one.revision !== other.revision) return 'revision';
  if (one.type !== other.type) return 'type';
  if (JSON.stringify(one.data) !== JSON.stringify(other.data)) return 'data';
  return JSON.stringify(one.metadata) === JSON.stringify(other.metadata) ? undefined : 'metadata';
}

function named({ stream, revision, type }: StoredEvent): string {
  return `${type} (${stream}@${revision})`;
}

async function* eventsOf(eventStore: EventStore): AsyncGenerator<StoredEvent, undefined> {
  for await (const page of logPages(eventStore)) yield* page;
  return undefined;
}
