import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { NO_EVENTS } from './append-rules.js';
import { syncFolder } from './sync-folder.js';

/** An event as it lies on disk: the bytes go over the wire as they are. */
export interface StoredRecord {
  readonly position: number;
  readonly bytes: Buffer;
}

/** A stream's number is the position of its first event: unique, and short in keys. */
export interface StreamHead {
  readonly number: number;
  readonly lastRevision: number;
  /** The ids of so many of its events, from the first one on, can be looked up. */
  readonly idsRetained: number;
}

const MAP_SIZE_BYTES = 1024 ** 4;
const COUNTER_BYTES = 6;
const UNKNOWN: StreamHead = { number: 0, lastRevision: NO_EVENTS, idsRetained: 0 };

/**
 * The log's tables, in LMDB: every event once, under its position; streams by name; where each revision of a stream lies, and its id.
 * Positions and revisions count events and stay far below 2^53.
 *
 * An append that names no revision is looked up by its ids. Ids are scattered, and cost a page each where they are sorted: `ids`
 * has those of streams that such an append came to, up to the last such one ({@link keepIds}).
 *
 * Durability: with `overlappingSync: false` a commit is classic LMDB. It writes the pages, calls fdatasync, writes the meta page
 * through a descriptor opened with O_DSYNC, and only then publishes the transaction's id, by which readers choose their snapshot;
 * only after that the transaction returns. So neither an acknowledgement nor any reader can be ahead of the disk. (The default,
 * `overlappingSync: true`, publishes first and syncs afterwards.)
 */
export class Tables {
  private readonly records: Database<Buffer, number>;
  private readonly streams: Database<Buffer, Buffer>;
  private readonly revisions: Database<Buffer, Buffer>;
  private readonly ids: Database<Buffer, Buffer>;

  private constructor(private readonly root: RootDatabase) {
    const binary = { encoding: 'binary', keyEncoding: 'binary' } as const;
    this.records = root.openDB({ name: 'records', encoding: 'binary' });
    this.streams = root.openDB({ name: 'streams', ...binary });
    this.revisions = root.openDB({ name: 'revisions', ...binary });
    this.ids = root.openDB({ name: 'ids', ...binary });
  }

  static open(path: string): Tables {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const tables = new Tables(open({ path, maxDbs: 8, mapSize: MAP_SIZE_BYTES, overlappingSync: false, noSubdir: false }));
    // LMDB syncs its files but not the folders in which they are new.
    for (const folder of [path, dirname(path)]) syncFolder(folder);
    return tables;
  }

  /** Writes all of it or, where something throws, nothing. It is on disk when this returns. */
  transaction<T>(work: () => T): T {
    return this.root.transactionSync(work);
  }

  async close(): Promise<void> {
    await this.root.close();
  }

  /** Position of the newest event; 0 for none. */
  newestPosition(): number {
    const [newest] = this.records.getKeys({ reverse: true, limit: 1 });
    return newest ?? 0;
  }

  headOf(stream: Buffer): StreamHead {
    const value = this.streams.get(stream);
    if (!value) return UNKNOWN;
    const lastRevision = value.readUIntBE(COUNTER_BYTES, COUNTER_BYTES);
    // Earlier versions kept every id, and did not say so.
    const idsRetained = value.length > 2 * COUNTER_BYTES ? value.readUIntBE(2 * COUNTER_BYTES, COUNTER_BYTES) : lastRevision + 1;
    return { number: value.readUIntBE(0, COUNTER_BYTES), lastRevision, idsRetained };
  }

  /** @throws Error where there is no such revision. */
  positionAt(number: number, revision: number): number {
    const value = this.revisions.get(counters(number, revision));
    if (!value) throw new Error(`The log has no revision ${revision} of stream ${number}.`);
    return value.readUIntBE(0, COUNTER_BYTES);
  }

  idAt(number: number, revision: number): Buffer | undefined {
    return this.revisions.get(counters(number, revision))?.subarray(COUNTER_BYTES);
  }

  /** The newest revision that an event of this id has, among those whose ids are kept. */
  revisionOf(number: number, id: Buffer): number | undefined {
    return this.ids.get(Buffer.concat([counters(number), id]))?.readUIntBE(0, COUNTER_BYTES);
  }

  /** @throws Error where there is no such position. */
  recordAt(position: number): Buffer {
    const bytes = this.records.get(position);
    if (!bytes) throw new Error(`The log has no event at position ${position}.`);
    return bytes;
  }

  /** From a position to another, both inclusive, upwards or downwards. */
  *recordsBetween(from: number, to: number, limit: number): Generator<StoredRecord, void, undefined> {
    for (const { key, value } of this.records.getRange({ start: from, end: to, inclusiveEnd: true, reverse: from > to, limit }))
      yield { position: key, bytes: value };
  }

  /** Inside a transaction; positions rise. */
  putRecord({ position, bytes }: StoredRecord): void {
    // It tells of a key that is not the last one by its answer, of which its types know nothing.
    const put = this.records.putSync.bind(this.records) as (key: number, value: Buffer, options: object) => unknown;
    if (put(position, bytes, { append: true }) === false)
      throw new Error(`The tables have position ${position}, or one beyond it, already.`);
  }

  /** Inside a transaction. */
  putRevision(number: number, revision: number, position: number, id: Buffer): void {
    this.revisions.putSync(counters(number, revision), Buffer.concat([counters(position), id]));
  }

  /** Inside a transaction. */
  putHead(stream: Buffer, { number, lastRevision, idsRetained }: StreamHead): void {
    this.streams.putSync(stream, counters(number, lastRevision, idsRetained));
  }

  /** Inside a transaction: makes the ids of so many more events of a stream, or of all the rest, ones that can be looked up. */
  keepIds(stream: Buffer, head: StreamHead, limit: number): StreamHead {
    const { number, idsRetained, lastRevision } = head;
    const upTo = Math.min(lastRevision + 1, idsRetained + limit);
    if (upTo === idsRetained) return head;
    for (const { key, value } of this.revisions.getRange({ start: counters(number, idsRetained), end: counters(number, upTo) })) {
      this.ids.putSync(Buffer.concat([counters(number), value.subarray(COUNTER_BYTES)]), key.subarray(COUNTER_BYTES));
    }
    const kept = { ...head, idsRetained: upTo };
    this.putHead(stream, kept);
    return kept;
  }
}

/** Numbers as bytes that sort like them. */
function counters(...numbers: number[]): Buffer {
  const key = Buffer.allocUnsafe(numbers.length * COUNTER_BYTES);
  numbers.forEach((number, index) => key.writeUIntBE(number, index * COUNTER_BYTES, COUNTER_BYTES));
  return key;
}
