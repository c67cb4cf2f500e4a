/** An event that a read model may not show. */
export interface UnshownEvent {
  readonly position: bigint;
  /** When it was first seen here, in milliseconds of the stopwatch. */
  readonly seenMs: number;
  /** Its date in ms since 1970. */
  readonly recordedMs: number;
}

/** More of them would not make an age more exact than anybody needs. */
const MAX_KEPT = 2_048;
const FIRST_INTERVAL_MS = 1_000;

/**
 * The events that a read model does not show, as far as ages need them: those of one interval are kept as one, with the age of the first and
 * the position of the last, and the interval doubles when there are too many. So an age is too high by one interval at most.
 */
export class UnshownEvents {
  private kept: UnshownEvent[] = [];
  private intervalMs = FIRST_INTERVAL_MS;

  /** Adds an event after those that were added before. Those up to `shown` are forgotten, also if nobody ever asks for their age. */
  add(event: UnshownEvent, shown: bigint): void {
    this.forget(shown);
    const last = this.kept.at(-1);
    if (last && isOfSameAge(last, event, this.intervalMs)) {
      this.kept[this.kept.length - 1] = { ...last, position: event.position };
      return;
    }
    this.kept.push(event);
    if (this.kept.length < MAX_KEPT) return;
    this.intervalMs *= 2;
    const { kept } = this;
    this.kept = kept.flatMap((each, index) => (index % 2 === 0 ? [{ ...each, position: (kept[index + 1] ?? each).position }] : []));
  }

  /** Returns the oldest event after the position `shown`; undefined if there is none. Those up to there are forgotten. */
  oldest(shown: bigint): UnshownEvent | undefined {
    this.forget(shown);
    return this.kept[0];
  }

  /** Returns the newest event after the position `shown`; undefined if there is none. */
  newest(shown: bigint): UnshownEvent | undefined {
    const last = this.kept.at(-1);
    return last && last.position > shown ? last : undefined;
  }

  private forget(shown: bigint): void {
    const [first] = this.kept;
    if (first && first.position <= shown) this.kept = this.kept.filter(({ position }) => position > shown);
    if (this.kept.length === 0) this.intervalMs = FIRST_INTERVAL_MS;
  }
}

function isOfSameAge(one: UnshownEvent, other: UnshownEvent, intervalMs: number): boolean {
  return Math.max(other.seenMs - one.seenMs, other.recordedMs - one.recordedMs) < intervalMs;
}
