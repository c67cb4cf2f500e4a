import { type Codec } from '../event-sourcing/coding/codec.js';
import { type EventStore, type HistoryMissing } from '../event-sourcing/event-store.js';
import { findMissingHistories } from '../event-sourcing/reading/history-watch.js';
import { type StoredEvent } from '../event-sourcing/recorded-event.js';
import { type Projection } from './projection.js';
import { Resumes } from './rebuilding/resumes.js';

interface Log {
  readonly eventStore: EventStore;
  readonly codec: Codec;
  readonly signal?: AbortSignal;
}

/** A search reads the whole log once, in the event store. */
const SEARCH_MS = 3_600_000;

/**
 * The streams of which events are hidden, while the log is replayed. A stream that was deleted or truncated is still in `$all` as a whole,
 * until a scavenge removes its events; a table that is built without those would lack rows that the live one has.
 */
export class HiddenStreams {
  /** The revision of each stream that comes next in the log; undefined once one is missing. */
  private readonly next: Map<string, bigint | undefined>;

  private constructor(private readonly missing: readonly HistoryMissing[]) {
    this.next = new Map(missing.map(({ stream }) => [stream, 0n]));
  }

  /** For tables that are built from whatever the log holds. */
  static none(): HiddenStreams {
    return new HiddenStreams([]);
  }

  /** Finds the streams that these projections read. @throws Error if not all of the log could be searched */
  static async find({ eventStore, codec, signal }: Log, projections: readonly Projection[]): Promise<HiddenStreams> {
    const categories = codec.categoriesOf(projections.flatMap(({ types }) => [...types]));
    if (categories.size === 0) return HiddenStreams.none();
    for (const resumes = new Resumes(signal); ;) {
      try {
        const { missing, isComplete } = await findMissingHistories(eventStore, categories, SEARCH_MS, signal);
        signal?.throwIfAborted();
        if (!isComplete) throw new Error('Not all of the log could be searched for streams that hide events. Run rupa events check.');
        return new HiddenStreams(missing);
      } catch (error) {
        await resumes.after(error);
      }
    }
  }

  /** Takes note of the events of the log, in their order. */
  read(events: readonly StoredEvent[]): void {
    if (this.next.size === 0) return;
    for (const { stream, revision } of events) {
      const next = this.next.get(stream);
      if (next !== undefined) this.next.set(stream, revision === next ? next + 1n : undefined);
    }
  }

  /**
   * @throws Error if the log, which has been read, does not hold all events of a stream any more. The message names no stream, because names
   *   may hold Rupa IDs and the message is logged.
   */
  refuseIncomplete(): void {
    const incomplete = this.missing.filter(({ stream, last }) => {
      const next = this.next.get(stream);
      // The store does not say how many events a stream had that was ended for good.
      return next === undefined || next === 0n || (last !== undefined && next <= last);
    });
    if (incomplete.length === 0) return;
    const categories = [...new Set(incomplete.map(({ category }) => category))].sort().join(', ');
    throw new Error(
      `The log does not hold all events of ${incomplete.length} ${incomplete.length === 1 ? 'stream' : 'streams'} any more (${categories}), so tables that are built from it would lack rows. The live tables are unchanged. rupa doctor names each stream; docs/operations.md, "Missing history", says how to get it back.`,
    );
  }
}
