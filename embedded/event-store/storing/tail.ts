import { NO_EVENTS } from '../append-rules.js';
import { isMetadataStream, METADATA_PREFIX } from '../stream-metadata.js';
import { type StoredRecord, type Stream, type StreamHead, type Tables } from './tables.js';

/** The events of a stream that the tables do not have yet. */
class UnflushedStream {
  readonly positions: number[] = [];
  readonly ids: Buffer[] = [];
  /** No event follows a tombstone, so it is always the newest one. */
  isTombstoned = false;

  constructor(
    readonly name: Buffer,
    readonly number: number,
    readonly firstRevision: number,
  ) {}

  get lastRevision(): number {
    return this.firstRevision + this.positions.length - 1;
  }

  push(position: number, id: Buffer, isTombstone: boolean): void {
    this.positions.push(position);
    this.ids.push(id);
    this.isTombstoned = isTombstone;
  }

  pop(): void {
    this.positions.pop();
    this.ids.pop();
    this.isTombstoned = false;
  }
}

/**
 * The log that appends and reads work on: the tables and, in memory, the newest events, which are flushed to the tables in large
 * batches. A page of a table that many appends touch, such as one of a stream's revisions, is then written once for all of them.
 */
export class Tail {
  private streams = new Map<string, UnflushedStream>();
  private records: Buffer[] = [];
  private streamsOfRecords: UnflushedStream[] = [];
  /** Position of the newest event in the tables. */
  private flushed: number;
  /** Whether any stream has metadata, which may hide events of it. */
  hasMetadata: boolean;

  constructor(private readonly tables: Tables) {
    this.flushed = tables.newestPosition();
    this.hasMetadata = tables.hasStreamsOf(METADATA_PREFIX);
  }

  /** Position of the newest event; 0 for an empty log. */
  get newestPosition(): number {
    return this.flushed + this.records.length;
  }

  /** Returns the last revision of a stream; NO_EVENTS for one that does not exist. */
  lastRevision(name: Buffer): number {
    return (this.streams.get(keyOf(name)) ?? this.tables.headOf(name)).lastRevision;
  }

  stream(name: Buffer): Stream {
    const newest = this.streams.get(keyOf(name));
    if (!newest) return this.streamInTables(this.tables.headOf(name));
    const { number, firstRevision, lastRevision, isTombstoned } = newest;
    const older = this.streamInTables({ number, lastRevision: firstRevision - 1, isTombstoned: false });
    return {
      lastRevision,
      isTombstoned,
      positionAt: (revision) => newest.positions[revision - firstRevision] ?? older.positionAt(revision),
      idAt: (revision) => newest.ids[revision - firstRevision] ?? older.idAt(revision),
    };
  }

  /** @throws Error if the log has no such position. */
  recordAt(position: number): Buffer {
    return this.records[position - this.flushed - 1] ?? this.tables.recordAt(position);
  }

  /** Yields events between two positions, both inclusive, upwards or downwards. It may stop early, but yields none only if none is left. */
  *recordsBetween(from: number, to: number, limit: number): Generator<StoredRecord, void, undefined> {
    const first = Math.max(from, 1);
    if (first <= this.flushed) {
      yield* this.tables.recordsBetween(first, Math.min(to, this.flushed), limit);
      return;
    }
    const step = from <= to ? 1 : -1;
    const end = step > 0 ? Math.min(to, this.newestPosition) : Math.max(to, this.flushed + 1);
    for (let position = first; (end - position) * step >= 0; position += step) yield { position, bytes: this.recordAt(position) };
  }

  /** Adds an event at the next position and revision. */
  push(name: Buffer, id: Buffer, record: Buffer, isTombstone = false): void {
    const key = keyOf(name);
    let newest = this.streams.get(key);
    if (!newest) {
      const { number, lastRevision } = this.tables.headOf(name);
      newest = new UnflushedStream(name, lastRevision === NO_EVENTS ? this.newestPosition + 1 : number, lastRevision + 1);
      this.streams.set(key, newest);
    }
    newest.push(this.newestPosition + 1, id, isTombstone);
    this.hasMetadata ||= isMetadataStream(name);
    this.records.push(record);
    this.streamsOfRecords.push(newest);
  }

  /** Returns the unflushed records from a position on. */
  recordsFrom(position: number): Buffer[] {
    return this.records.slice(position - this.flushed - 1);
  }

  /** Removes all events from a position on. */
  discardFrom(position: number): void {
    while (this.newestPosition >= position && this.records.pop()) {
      const stream = this.streamsOfRecords.pop();
      stream?.pop();
      if (stream?.positions.length === 0) this.streams.delete(keyOf(stream.name));
    }
  }

  /** Moves all events to the tables; they are on disk when this returns. @throws Error when the disk fails; the events stay in memory. */
  flush(): void {
    if (this.records.length === 0) return;
    this.tables.transaction(() => {
      this.records.forEach((bytes, index) => {
        this.tables.putRecord({ position: this.flushed + 1 + index, bytes });
      });
      for (const stream of this.streams.values()) this.flushStream(stream);
    });
    this.flushed = this.newestPosition;
    this.records = [];
    this.streamsOfRecords = [];
    this.streams = new Map();
  }

  private flushStream({ name, number, firstRevision, lastRevision, positions, ids, isTombstoned }: UnflushedStream): void {
    const { indexedIds } = this.tables.headOf(name);
    for (const [index, id] of ids.entries()) this.tables.putRevision(number, firstRevision + index, positions[index] ?? 0, id);
    this.tables.putHead(name, { number, lastRevision, indexedIds, isTombstoned });
  }

  private streamInTables({ number, lastRevision, isTombstoned }: Omit<StreamHead, 'indexedIds'>): Stream {
    return {
      lastRevision,
      isTombstoned,
      positionAt: (revision) => this.tables.positionAt(number, revision),
      // An append may repeat events beyond the end of the stream.
      idAt: (revision) => (revision > lastRevision ? undefined : this.tables.idAt(number, revision)),
    };
  }
}

function keyOf(name: Buffer): string {
  return name.toString('latin1');
}
