import { type Tail } from './tail.js';
import { recordFacts } from '../serving/wire.js';

/** EventStoreDB knows the ids of about as many events, as many as 8 MiB hold with the names of their streams. */
const IDS_MAX = 65_536;
/** Events whose ids are read at a time, so that other calls are served in between. */
const READ_AT_ONCE = 10_000;

/**
 * The places of the newest events by their ids. An append at any revision is recognised as a repetition by them. As in EventStoreDB, an
 * id has one place, the oldest of the recent ones, even if it was appended again or to another stream since. The ids are read from the
 * log when an append looks them up, so appends at an exact revision cost nothing here.
 */
export class RecentIds {
  private readonly positions = new Map<string, number>();
  /** Position of the newest event whose id is known. */
  private known = 0;

  constructor(private readonly tail: Tail) {}

  /** Reads the ids of further events. @returns whether some are left, so that the caller calls it again */
  readMore(): boolean {
    const { newestPosition } = this.tail;
    const from = Math.max(this.known, newestPosition - IDS_MAX) + 1;
    const to = Math.min(newestPosition, from + READ_AT_ONCE - 1);
    for (let position = from; position <= to; position += 1) this.add(recordFacts(this.tail.recordAt(position)).id, position);
    this.known = Math.max(to, this.known);
    return this.known < newestPosition;
  }

  /** Returns the revision that an event with this id has in a stream, unless the place of the id is in another stream. */
  revisionOf(stream: Buffer, id: Buffer): number | undefined {
    const position = this.positions.get(keyOf(id));
    if (position === undefined) return undefined;
    const facts = recordFacts(this.tail.recordAt(position));
    return facts.stream.equals(stream) ? facts.revision : undefined;
  }

  /** Forgets the ids if events from this position on, which were discarded, are among them. */
  forgetFrom(position: number): void {
    if (this.known < position) return;
    this.positions.clear();
    this.known = 0;
  }

  private add(id: Buffer, position: number): void {
    const key = keyOf(id);
    if (!this.positions.has(key)) this.positions.set(key, position);
    if (this.positions.size <= IDS_MAX) return;
    const [oldest] = this.positions.keys();
    if (oldest !== undefined) this.positions.delete(oldest);
  }
}

function keyOf(id: Buffer): string {
  return id.toString('latin1');
}
