import { type Clock } from '../../../kernel/clock.js';
import { type ReadFrom } from '../event-store-client/messages/read-message.js';
import { type StoreClient } from '../event-store-client/store-client.js';
import { StreamTombstoned, StoreUnavailable } from '../event-store-client/store-errors.js';
import { type TimedEvent, type StoredEvent } from '../recorded-event.js';
import { categoryOf } from '../stream-kind.js';

/**
 * Events of a stream are hidden or gone: it was deleted, truncated by its metadata ($tb, $maxCount, $maxAge), ended for good, or scavenged.
 * It must not be read as empty or short, so nothing is decided on it (evidence, "History that is missing").
 */
export class HistoryMissing extends StoreUnavailable {
  override name = 'HistoryMissing';

  /**
   * @param oldest revision of the oldest event that is there; undefined if none is
   * @param last revision of the newest event that the stream ever had; undefined for a stream that was ended for good
   */
  constructor(
    readonly stream: string,
    readonly oldest: bigint | undefined,
    readonly last: bigint | undefined,
  ) {
    super(sentence(stream, oldest, last));
  }

  get category(): string {
    return categoryOf(this.stream);
  }
}

const ADVICE = 'docs/operations.md, "Missing history", says how to get it back.';

function sentence(stream: string, oldest: bigint | undefined, last: bigint | undefined): string {
  const what = `The history of ${stream} is missing`;
  if (last === undefined) return `${what}: the stream was ended for good (a tombstone). ${ADVICE}`;
  if (oldest === undefined) return `${what}: none of its events up to revision ${last} is there. ${ADVICE}`;
  return `${what}: it is there from revision ${oldest} to ${last}, and not from 0. ${ADVICE}`;
}

export interface StreamRange {
  readonly from?: bigint | undefined;
  readonly backwards?: boolean | undefined;
  readonly maxCount?: number | undefined;
}

/**
 * Judges the events that a read of a stream returned: all of the range, or not all. An empty result proves nothing, because a deleted stream
 * looks like one that never was, and a stream of which all events are hidden has none, either. A read backwards that begins below its revision
 * is short: the stream ends there, or hides what follows.
 */
function completeness(found: readonly StoredEvent[], range: StreamRange): 'whole' | 'missing' | 'short' | 'unproven' {
  const { from = 0n, backwards = false, maxCount = Infinity } = range;
  const first = found[0];
  if (!first) return 'unproven';
  if (!backwards && first.revision !== from) return 'missing';
  const step = backwards ? -1n : 1n;
  if (found.some(({ revision }, index) => revision !== first.revision + BigInt(index) * step)) return 'missing';
  if (backwards && found.length < maxCount && found.at(-1)?.revision !== 0n) return 'missing';
  return backwards && range.from !== undefined && first.revision < range.from ? 'short' : 'whole';
}

/** Streams to remember at most. If more have no history, those beyond are found again by each read. */
const REMEMBERED_MAX = 10_000;

/** The streams of which this thread knows that their history is missing. */
export class MissingHistories {
  private readonly known = new Map<string, HistoryMissing>();
  private readonly listeners = new Set<(missing: HistoryMissing) => void>();

  has(stream: string): boolean {
    return this.known.has(stream);
  }

  list(): readonly HistoryMissing[] {
    return [...this.known.values()];
  }

  /** Calls the listener for each stream that is found, once until it is whole again. */
  onFound(listener: (missing: HistoryMissing) => void): void {
    this.listeners.add(listener);
  }

  add(missing: HistoryMissing): HistoryMissing {
    const isNew = !this.known.has(missing.stream);
    if (!isNew || this.known.size < REMEMBERED_MAX) this.known.set(missing.stream, missing);
    if (isNew) for (const listener of this.listeners) listener(missing);
    return missing;
  }

  delete(stream: string): void {
    this.known.delete(stream);
  }
}

/** Makes a call of the client, again if it fails for a reason that may pass. */
type Call = <T>(work: (client: StoreClient) => Promise<T>) => Promise<T>;

const NO_EVENTS = -1n;
/** A node that another one follows may know of a stream's first event shortly before that one shows it. */
const FIRST_EVENT = { reads: 4, pauseMs: 50 };

/** Reads streams, and refuses those whose history is missing: the only place of the service that reads a stream. */
export class StreamReader {
  readonly missing = new MissingHistories();

  constructor(
    private readonly call: Call,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the events of a range; none for a stream that never was. A range that begins behind revision 0 is read with the event before it,
   * which shows that the stream is there up to the range.
   * @throws HistoryMissing
   */
  async read(stream: string, range: StreamRange): Promise<TimedEvent[]> {
    if (this.missing.has(stream)) await this.examine(stream);
    const { from = 0n, backwards, maxCount } = range;
    if (backwards || from === 0n) return await this.readWhole(stream, range);
    const overlap = { from: from - 1n, ...(maxCount === undefined ? {} : { maxCount: maxCount + 1 }) };
    return (await this.readWhole(stream, overlap)).slice(1);
  }

  private async readWhole(stream: string, range: StreamRange): Promise<TimedEvent[]> {
    for (let reads = 1; ; reads += 1) {
      const found = await this.found(stream, range);
      const verdict = completeness(found, range);
      if (verdict === 'whole') return found;
      if (verdict === 'short' && (await this.lastRevision(stream)) === found[0]?.revision) return found;
      if (verdict === 'unproven') {
        const last = await this.lastRevision(stream);
        if (last === NO_EVENTS) return [];
        if (last >= (range.backwards ? 0n : (range.from ?? 0n)) && reads < FIRST_EVENT.reads) {
          await this.clock.delay(FIRST_EVENT.pauseMs);
          continue;
        }
        await this.examine(stream);
        if (!range.backwards && last < (range.from ?? 0n)) return [];
      } else await this.examine(stream);
      // Revision 0 is there, and a later event is not.
      const gap = found.find(({ revision }, index) => revision !== (range.from ?? 0n) + BigInt(index));
      throw this.missing.add(new HistoryMissing(stream, gap?.revision, await this.lastRevision(stream)));
    }
  }

  /**
   * Returns the revision of the newest event that the stream ever had, hidden or not; -1 if it never had one. The store tells it by refusing
   * an append at a revision that no stream reaches.
   * @throws HistoryMissing if the stream was ended for good
   */
  async lastRevision(stream: string): Promise<bigint> {
    return await this.unlessTombstoned(stream, (client) => client.lastRevision(stream));
  }

  /** Checks that the stream begins with revision 0, or never was. @throws HistoryMissing */
  async examine(stream: string): Promise<void> {
    const [first] = await this.found(stream, { maxCount: 1 });
    if (first?.revision !== 0n) {
      const last = await this.lastRevision(stream);
      if (first || last !== NO_EVENTS) throw this.missing.add(new HistoryMissing(stream, first?.revision, last));
    }
    this.missing.delete(stream);
  }

  private async found(stream: string, { from, backwards, maxCount }: StreamRange): Promise<TimedEvent[]> {
    const start: ReadFrom = from ?? (backwards ? 'end' : 'start');
    return await this.unlessTombstoned(stream, (client) => client.readStream(stream, start, { backwards, maxCount }));
  }

  private async unlessTombstoned<T>(stream: string, work: (client: StoreClient) => Promise<T>): Promise<T> {
    try {
      return await this.call(work);
    } catch (error) {
      if (error instanceof StreamTombstoned) throw this.missing.add(new HistoryMissing(stream, undefined, undefined));
      throw error;
    }
  }
}
