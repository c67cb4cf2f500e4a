import { StoreUnavailable } from '../event-store-client/store-errors.js';
import { type StoredEvent } from '../recorded-event.js';
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
export function completeness(found: readonly StoredEvent[], range: StreamRange): 'whole' | 'missing' | 'short' | 'unproven' {
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
