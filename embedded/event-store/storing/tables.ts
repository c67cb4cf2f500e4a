import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { NO_EVENTS } from '../append-rules.js';
import { checkedForm, checkedRecord, checkedValue, withChecksum } from './checksums.js';
import { DamagedLog } from './damaged-log.js';
import { syncFolder } from './journal.js';

/** An event as it is stored. Its bytes are sent to readers unchanged. */
export interface StoredRecord {
  readonly position: number;
  readonly bytes: Buffer;
}

/** A stream, including its events that are still in memory. */
export interface Stream {
  /** Revision of the newest event; NO_EVENTS for a stream that does not exist. */
  readonly lastRevision: number;
  /** Whether its newest event ended it for good. */
  readonly isTombstoned: boolean;
  readonly idAt: (revision: number) => Buffer | undefined;
  /** @throws Error if the stream has no such revision. */
  readonly positionAt: (revision: number) => number;
}

/** The number of a stream is the position of its first event, which is unique and keeps keys short. */
export interface StreamHead {
  readonly number: number;
  readonly lastRevision: number;
  /** How many of its events, from the first one on, have their ids in the table `ids`, which only earlier versions read and write. */
  readonly indexedIds: number;
  /** Whether its newest event ended it for good. */
  readonly isTombstoned: boolean;
}

export const MAP_SIZE_BYTES = 1024 ** 4;
const COUNTER_BYTES = 6;
const ID_BYTES = 16;
/** LMDB limits the length of a key, and EventStoreDB no stream name. */
const NAME_IN_KEY_BYTES = 1_024;
export const DATA_FILE = 'data.mdb';
/** Lengths of the values. Earlier versions indexed every id and stored no count of them in a head. */
export const VALUE_BYTES = {
  streams: [3 * COUNTER_BYTES, 2 * COUNTER_BYTES],
  revisions: [COUNTER_BYTES + ID_BYTES],
  ids: [COUNTER_BYTES],
} as const;
const UNKNOWN: StreamHead = { number: 0, lastRevision: NO_EVENTS, indexedIds: 0, isTombstoned: false };
/** Set in the count of indexed ids, which only earlier versions read, for a stream that has been ended for good. */
const TOMBSTONED = 2 ** 47;

/**
 * The log's tables in LMDB, in which each value has a checksum that every read checks: each event once, by its position; streams by name; position and event id of each revision of a stream.
 * Positions and revisions count events and stay far below 2^53.
 *
 * Durability: with `overlappingSync: false` LMDB commits in the classic way. It writes the pages, calls fdatasync, writes the meta page
 * through a descriptor opened with O_DSYNC, then publishes the transaction id, by which readers choose their snapshot, and returns. So
 * neither an acknowledgement nor a reader can be ahead of the disk. (The default, `overlappingSync: true`, publishes first and syncs
 * afterwards.)
 */
export class Tables {
  private readonly records: Database<Buffer, number>;
  private readonly streams: Database<Buffer, Buffer>;
  private readonly revisions: Database<Buffer, Buffer>;

  private constructor(
    private readonly root: RootDatabase,
    private readonly file: string,
  ) {
    const binary = { encoding: 'binary', keyEncoding: 'binary' } as const;
    this.records = root.openDB({ name: 'records', encoding: 'binary' });
    this.streams = root.openDB({ name: 'streams', ...binary });
    this.revisions = root.openDB({ name: 'revisions', ...binary });
  }

  static open(path: string): Tables {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const tables = new Tables(
      open({ path, maxDbs: 8, mapSize: MAP_SIZE_BYTES, overlappingSync: false, noSubdir: false }),
      join(path, DATA_FILE),
    );
    // LMDB syncs its files, but not the folders that contain them.
    for (const folder of [path, dirname(path)]) syncFolder(folder);
    return tables;
  }

  /** Runs the work in one transaction, which is rolled back if the work throws. The data is on disk when this returns. */
  transaction<T>(work: () => T): T {
    return this.root.transactionSync(work);
  }

  async close(): Promise<void> {
    await this.root.close();
  }

  /** Returns the position of the newest event, or 0 for an empty log. */
  newestPosition(): number {
    const [newest] = this.records.getKeys({ reverse: true, limit: 1 });
    return newest ?? 0;
  }

  /** @throws DamagedLog, as all methods that read do */
  headOf(stream: Buffer): StreamHead {
    const value = this.valueOf('streams', keyOf(stream));
    return value ? headIn(value) : UNKNOWN;
  }

  /** Returns whether any stream has a name that begins so. */
  hasStreamsOf(prefix: Buffer): boolean {
    const [first] = this.streams.getKeys({ start: prefix, limit: 1 });
    return first?.subarray(0, prefix.length).equals(prefix) ?? false;
  }

  positionAt(number: number, revision: number): number {
    return this.revisionAt(number, revision).readUIntBE(0, COUNTER_BYTES);
  }

  idAt(number: number, revision: number): Buffer {
    return this.revisionAt(number, revision).subarray(COUNTER_BYTES);
  }

  recordAt(position: number): Buffer {
    return this.checked(position, this.records.get(position));
  }

  /** Yields the events between two positions, both inclusive, upwards or downwards. */
  *recordsBetween(from: number, to: number, limit: number): Generator<StoredRecord, void, undefined> {
    const step = from > to ? -1 : 1;
    let [position, left] = [from, limit];
    for (const { key, value } of this.records.getRange({ start: from, end: to, inclusiveEnd: true, reverse: step < 0, limit })) {
      yield { position, bytes: this.checked(position, key === position ? value : undefined) };
      position += step;
      left -= 1;
    }
    if (left > 0 && (to - position) * step >= 0) this.checked(position, undefined);
  }

  /** Adds an event; called inside a transaction, in the order of positions. */
  putRecord({ position, bytes }: StoredRecord): void {
    // With `append` it returns false for a key that is not larger than all others. The type declarations lack that.
    const put = this.records.putSync.bind(this.records) as (key: number, value: Buffer, options: object) => unknown;
    if (put(position, withChecksum(bytes, position), { append: true }) === false)
      throw new Error(`The tables already have position ${position} or a later one.`);
  }

  /** Adds a revision of a stream; called inside a transaction. */
  putRevision(number: number, revision: number, position: number, id: Buffer): void {
    this.put('revisions', counters(number, revision), Buffer.concat([counters(position), id]));
  }

  /** Stores the head of a stream; called inside a transaction. */
  putHead(stream: Buffer, { number, lastRevision, indexedIds, isTombstoned }: StreamHead): void {
    this.put('streams', keyOf(stream), counters(number, lastRevision, indexedIds + (isTombstoned ? TOMBSTONED : 0)));
  }

  private put(table: 'streams' | 'revisions', key: Buffer, value: Buffer): void {
    this[table].putSync(key, checkedForm(key, value));
  }

  private valueOf(table: 'streams' | 'revisions', key: Buffer): Buffer | undefined {
    const stored = this[table].get(key);
    const value = stored && checkedValue(key, stored, VALUE_BYTES[table]);
    if (stored && !value) throw new DamagedLog(this.file, `the entry ${key.toString('latin1')} of ${table}`, 'its checksum does not match');
    return value;
  }

  private revisionAt(number: number, revision: number): Buffer {
    const value = this.valueOf('revisions', counters(number, revision));
    if (!value) throw new DamagedLog(this.file, `revision ${revision} of the stream that begins at position ${number}`, 'it is missing');
    return value;
  }

  private checked(position: number, stored: Buffer | undefined): Buffer {
    if (!stored) throw new DamagedLog(this.file, `position ${position} of the log`, 'the event is missing');
    const record = checkedRecord(stored, position);
    if (!record) throw new DamagedLog(this.file, `position ${position} of the log`, 'the checksum of the event does not match');
    return record;
  }
}

/** Returns the key of a stream: its name, or the beginning of a long name with the hash of all of it, which no name is as long as. */
function keyOf(stream: Buffer): Buffer {
  if (stream.length <= NAME_IN_KEY_BYTES) return stream;
  return Buffer.concat([stream.subarray(0, NAME_IN_KEY_BYTES), createHash('sha256').update(stream).digest()]);
}

/** Decodes the head of a stream. */
export function headIn(value: Buffer): StreamHead {
  const lastRevision = value.readUIntBE(COUNTER_BYTES, COUNTER_BYTES);
  const ids = value.length > 2 * COUNTER_BYTES ? value.readUIntBE(2 * COUNTER_BYTES, COUNTER_BYTES) : lastRevision + 1;
  const isTombstoned = ids >= TOMBSTONED;
  return { number: value.readUIntBE(0, COUNTER_BYTES), lastRevision, indexedIds: isTombstoned ? ids - TOMBSTONED : ids, isTombstoned };
}

/** Encodes numbers as bytes with the same sort order. */
function counters(...numbers: number[]): Buffer {
  const key = Buffer.allocUnsafe(numbers.length * COUNTER_BYTES);
  numbers.forEach((number, index) => key.writeUIntBE(number, index * COUNTER_BYTES, COUNTER_BYTES));
  return key;
}
