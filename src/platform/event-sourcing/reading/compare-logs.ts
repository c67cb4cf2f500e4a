import { type EventStore } from '../event-store.js';
import { exactPages } from './read-log.js';
import { type ExactEvent, type RawEvent } from '../recorded-event.js';

type ComparedEvent = RawEvent & ExactEvent;

/** The result of comparing two logs that do not differ. */
export interface LogComparison {
  /** Number of equal events, from the first one on. */
  readonly events: number;
  /** Number of streams among them. */
  readonly streams: number;
  /** The last hash of each chained stream. */
  readonly heads: ReadonlyMap<string, string>;
  /** The positions of the last equal event in each log. */
  readonly last: { readonly source: bigint; readonly target: bigint } | undefined;
  /** False if the source holds more events than the target. */
  readonly complete: boolean;
  /** Whether the target records, after the last equal event, that it is a complete copy. */
  readonly moved: boolean;
}

const NOTHING: LogComparison = { events: 0, streams: 0, heads: new Map(), last: undefined, complete: false, moved: false };

/** The target holds an event that the source does not hold at that point of the log. */
export class LogsDiffer extends Error {
  override name = 'LogsDiffer';
}

/**
 * Reads both logs side by side up to the target's end, and checks that they hold the same events in the same order, with equal ids,
 * streams, revisions, types, and bytes of data and metadata. Positions may differ. After them, the target may hold the event of its move.
 * @param isMoveOf returns whether an event says that the so many events before it were copied
 * @param since an earlier result for these logs: only the events after it are read, because a log only grows
 * @throws LogsDiffer at the first event of the target that differs or that the source does not hold
 */
export async function compareLogs(
  source: EventStore,
  target: EventStore,
  onEvents: (events: number, last: RawEvent) => void,
  signal: AbortSignal,
  isMoveOf: (events: number, event: RawEvent) => boolean = () => false,
  since: LogComparison = NOTHING,
): Promise<LogComparison> {
  const [left, right] = [eventsOf(source, since.last?.source), eventsOf(target, since.last?.target)];
  const heads = new Map(since.heads);
  let { events, streams, last } = since;
  try {
    for (;;) {
      const [next, ours] = [await right.next(), await left.next()];
      const moved = !next.done && isMoveOf(events, next.value);
      if (moved && !ours.done && ours.value.id !== next.value.id)
        throw new LogsDiffer(
          `The target was completed as a copy of ${events} events, and the source has gone on since with ${named(ours.value)}. Copy to an empty event store.`,
        );
      const theirs = moved && ours.done ? await right.next() : next;
      if (theirs.done) return { events, streams, heads, last, complete: ours.done === true, moved };
      if (ours.done)
        throw new LogsDiffer(
          `The target holds more events than the source: ${named(theirs.value)} at the target's position ${theirs.value.position}.`,
        );
      const difference = differenceOf(ours.value, theirs.value);
      if (difference !== undefined)
        throw new LogsDiffer(
          `The target differs from the source: its event ${named(theirs.value)} at position ${theirs.value.position} is not the source's ${named(ours.value)}: the ${difference} differs.`,
        );
      last = { source: ours.value.position, target: theirs.value.position };
      events += 1;
      if (ours.value.revision === 0n) streams += 1;
      const hash = hashIn(ours.value);
      if (hash !== undefined) heads.set(ours.value.stream, hash);
      if (events % 1_000 === 0) onEvents(events, theirs.value);
      signal.throwIfAborted();
    }
  } finally {
    await Promise.all([left.return(undefined), right.return(undefined)]);
  }
}

function differenceOf(one: ComparedEvent, other: ComparedEvent): string | undefined {
  if (one.id !== other.id) return 'id';
  if (one.stream !== other.stream) return 'stream';
  if (one.revision !== other.revision) return 'revision';
  if (one.type !== other.type) return 'type';
  if (one.isBinary !== other.isBinary) return 'content type';
  if (!one.data.equals(other.data)) return 'data';
  return one.metadata.equals(other.metadata) ? undefined : 'metadata';
}

/** Returns the hash of an entry of a chained stream. */
function hashIn({ metadata }: RawEvent): string | undefined {
  if (!metadata.includes('"hash"')) return undefined;
  try {
    const { hash } = JSON.parse(metadata.toString()) as { readonly hash?: unknown };
    return typeof hash === 'string' ? hash : undefined;
  } catch {
    // The event is another program's.
    return undefined;
  }
}

function named({ stream, revision, type }: RawEvent): string {
  return `${type} (${stream}@${revision})`;
}

async function* eventsOf(eventStore: EventStore, after: bigint | undefined): AsyncGenerator<ComparedEvent, undefined> {
  for await (const page of exactPages(eventStore, after)) yield* page;
  return undefined;
}
