const NOTE_EVERY_MS = 1_000;

/**
 * Measures by a stopwatch for how long a reader of the log has been behind. The times in the events do not tell, because the clock of the
 * host that recorded them may be wrong.
 */
export class Lag {
  /** Positions of the newest event of the log and when they were first seen, oldest first, without those that were reached. */
  private notes: { readonly head: bigint; readonly seenMs: number }[] = [];

  /** @param elapsedMs a stopwatch in milliseconds */
  constructor(private readonly elapsedMs: () => number = () => performance.now()) {}

  /**
   * Returns for how many milliseconds the oldest event that the reader has not reached has been known here. The first call returns 0.
   * @param head position of the log's newest event; undefined if the log is empty
   * @param reached position of the last event that the reader has handled; -1 if there is none
   */
  measure(head: bigint | undefined, reached: bigint): number {
    const now = this.elapsedMs();
    this.notes = this.notes.filter((note) => note.head > reached);
    const newest = this.notes.at(-1);
    const isNew = newest === undefined || now - newest.seenMs >= NOTE_EVERY_MS;
    if (head !== undefined && head > reached && isNew) this.notes.push({ head, seenMs: now });
    return now - (this.notes[0]?.seenMs ?? now);
  }
}
