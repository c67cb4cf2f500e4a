import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { decideAppend, type Expectation, NO_EVENTS, type StoredStream } from './append-rules.js';
import { encodeRecord, type ProposedEvent } from './wire.js';

export type Appended =
  | { readonly kind: 'appended'; readonly revision: number; readonly position: number }
  /** NO_EVENTS: the stream does not exist. */
  | { readonly kind: 'wrong_revision'; readonly current: number };

/** An event as it lies on disk: the bytes go over the wire as they are. */
export interface StoredRecord {
  readonly position: number;
  readonly bytes: Buffer;
}

export interface Append {
  readonly stream: Buffer;
  readonly expected: Expectation;
  readonly events: readonly ProposedEvent[];
}

interface WaitingAppend extends Append {
  readonly bytes: number;
  readonly resolve: (outcome: Appended) => void;
  readonly reject: (reason: unknown) => void;
}

/** A stream's number is the position of its first event: unique, and short in keys. */
interface StreamHead {
  readonly number: number;
  readonly lastRevision: number;
}

/** What commits together is bounded, so that other calls get their turn. */
const COMMIT_APPENDS_MAX = 1_000;
const COMMIT_BYTES_MAX = 4 * 1024 * 1024;
/** Enough for a page of small events; one of large events stops at the bytes. */
const PAGE_RECORDS = 512;
const PAGE_BYTES = 512 * 1024;
const MAP_SIZE_BYTES = 1024 ** 4;
const COUNTER_BYTES = 6;
const ID_BYTES = 16;

/**
 * The log on LMDB: every event once, under its position; streams by name; where each revision of a stream lies; which ids a stream
 * knows. Positions and revisions count events and stay far below 2^53.
 *
 * Durability: with `overlappingSync: false` a commit is classic LMDB. It writes the pages, calls fdatasync, writes the meta page
 * through a descriptor opened with O_DSYNC, and only then publishes the transaction's id, by which readers choose their snapshot; the
 * promise resolves after that. So neither an acknowledgement nor any reader can be ahead of the disk. (The default,
 * `overlappingSync: true`, publishes first and syncs afterwards.)
 *
 * The folder belongs to one process, which the server's lock sees to: others would append correctly, since every decision reads
 * from its write transaction, but their commits would wake no subscriber here.
 */
export class EventLog {
  private readonly records: Database<Buffer, number>;
  private readonly streams: Database<Buffer, Buffer>;
  private readonly revisions: Database<Buffer, Buffer>;
  private readonly ids: Database<Buffer, Buffer>;
  private readonly listeners = new Set<() => void>();
  private waiting: WaitingAppend[] = [];
  private committing: Promise<void> | undefined;
  private lastPosition: number;

  private constructor(private readonly root: RootDatabase) {
    const binary = { encoding: 'binary', keyEncoding: 'binary' } as const;
    this.records = root.openDB({ name: 'records', encoding: 'binary' });
    this.streams = root.openDB({ name: 'streams', ...binary });
    this.revisions = root.openDB({ name: 'revisions', ...binary });
    this.ids = root.openDB({ name: 'ids', ...binary });
    this.lastPosition = this.newestPosition();
  }

  static open(path: string): EventLog {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const log = new EventLog(open({ path, maxDbs: 8, mapSize: MAP_SIZE_BYTES, overlappingSync: false, noSubdir: false }));
    // LMDB syncs its files but not the folders in which they are new.
    for (const folder of [path, dirname(path)]) syncFolder(folder);
    return log;
  }

  /** Position of the newest event on disk; 0 for none. */
  get head(): number {
    return this.lastPosition;
  }

  /**
   * Resolves once the events, all of them, are on disk. Appends are decided one after another, in the order of their calls; those
   * that come while a commit is under way share the next one. @throws Error when the disk fails; nothing is stored then.
   */
  append(append: Append): Promise<Appended> {
    const bytes = append.events.reduce((sum, { data, customMetadata }) => sum + data.length + customMetadata.length, 0);
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...append, bytes, resolve, reject });
      this.committing ??= this.commitWaiting();
    });
  }

  /** Called after each commit, until the answered function is called. */
  onCommit(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Last revision of a stream; NO_EVENTS for one that does not exist. */
  lastRevision(stream: Buffer): number {
    return this.headOf(stream).lastRevision;
  }

  /** A page of a stream from a revision to another, both inclusive, upwards or downwards; empty only where there is none left. */
  readStream(stream: Buffer, from: number, to: number): StoredRecord[] {
    const { number, lastRevision } = this.headOf(stream);
    const step = from <= to ? 1 : -1;
    const page: StoredRecord[] = [];
    let bytes = 0;
    for (let revision = from; page.length < PAGE_RECORDS && bytes < PAGE_BYTES; revision += step) {
      if (revision < 0 || revision > lastRevision) break;
      const record = this.recordAt(number, revision);
      page.push(record);
      bytes += record.bytes.length;
      if (revision === to) break;
    }
    return page;
  }

  /** A page of the whole log from a position to another, both inclusive, upwards or downwards; empty only where there is none left. */
  readAll(from: number, to: number): StoredRecord[] {
    const range = this.records.getRange({ start: from, end: to, inclusiveEnd: true, reverse: from > to, limit: PAGE_RECORDS });
    const page: StoredRecord[] = [];
    let bytes = 0;
    for (const { key, value } of range) {
      page.push({ position: key, bytes: value });
      bytes += value.length;
      if (bytes >= PAGE_BYTES) break;
    }
    return page;
  }

  async close(): Promise<void> {
    await this.committing;
    await this.root.close();
  }

  private async commitWaiting(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.takeBatch();
      try {
        await this.commit(batch);
      } catch {
        // Whatever one of them ran into must not fail the others.
        for (const append of batch) await this.commit([append]).catch(append.reject);
      }
    }
    this.committing = undefined;
  }

  private takeBatch(): WaitingAppend[] {
    let bytes = 0;
    const full = this.waiting.findIndex((append) => (bytes += append.bytes) > COMMIT_BYTES_MAX);
    return this.waiting.splice(0, Math.min(full < 0 ? COMMIT_APPENDS_MAX : Math.max(full, 1), COMMIT_APPENDS_MAX));
  }

  /** The child transaction is what can be taken back if one of its writes fails. */
  private async commit(batch: readonly WaitingAppend[]): Promise<void> {
    const committed = this.root.childTransaction(() => {
      let position = this.newestPosition();
      const outcomes = batch.map((append) => {
        const outcome = this.decide(append, position);
        if (outcome.kind === 'appended') position = Math.max(position, outcome.position);
        return outcome;
      });
      return { outcomes, position };
    });
    const { outcomes, position } = await committed.catch(forgetReason);
    const isNew = position > this.lastPosition;
    this.lastPosition = position;
    this.root.resetReadTxn();
    batch.forEach(({ resolve }, index) => {
      const outcome = outcomes[index];
      if (outcome) resolve(outcome);
    });
    if (isNew) for (const listener of this.listeners) listener();
  }

  /** Runs inside the write transaction, and so reads what those before it have written. */
  private decide({ stream, expected, events }: Append, lastPosition: number): Appended {
    const head = this.headOf(stream);
    const ids = events.map(({ id }) => Buffer.from(id.replaceAll('-', ''), 'hex'));
    const decision = decideAppend(expected, ids, this.storedStream(head));
    switch (decision.kind) {
      case 'wrong_revision':
        return { kind: 'wrong_revision', current: head.lastRevision };
      case 'unchanged':
        return { kind: 'appended', revision: decision.revision, position: decision.revision < 0 ? 0 : this.positionAt(head.number, decision.revision) };
      case 'write':
        return this.write(stream, head, events, ids, lastPosition);
    }
  }

  private write(stream: Buffer, head: StreamHead, events: readonly ProposedEvent[], ids: readonly Buffer[], lastPosition: number): Appended {
    const number = head.lastRevision === NO_EVENTS ? lastPosition + 1 : head.number;
    const created = BigInt(Date.now()) * 10_000n;
    let position = lastPosition;
    let revision = head.lastRevision;
    events.forEach((event, index) => {
      position += 1;
      revision += 1;
      const id = ids[index] ?? Buffer.alloc(ID_BYTES);
      this.records.putSync(position, encodeRecord(event, { stream, revision, position, created }), { append: true });
      this.revisions.putSync(counters(number, revision), Buffer.concat([counters(position), id]));
      this.ids.putSync(Buffer.concat([counters(number), id]), counters(revision));
    });
    this.streams.putSync(stream, counters(number, revision));
    return { kind: 'appended', revision, position };
  }

  private storedStream({ number, lastRevision }: StreamHead): StoredStream {
    return {
      lastRevision,
      idAt: (revision) => this.revisions.get(counters(number, revision))?.subarray(COUNTER_BYTES),
      revisionOf: (id) => (lastRevision === NO_EVENTS ? undefined : this.ids.get(Buffer.concat([counters(number), id]))?.readUIntBE(0, COUNTER_BYTES)),
    };
  }

  private headOf(stream: Buffer): StreamHead {
    const value = this.streams.get(stream);
    if (!value) return { number: 0, lastRevision: NO_EVENTS };
    return { number: value.readUIntBE(0, COUNTER_BYTES), lastRevision: value.readUIntBE(COUNTER_BYTES, COUNTER_BYTES) };
  }

  private positionAt(number: number, revision: number): number {
    const value = this.revisions.get(counters(number, revision));
    if (!value) throw new Error(`The log has no revision ${revision} of stream ${number}.`);
    return value.readUIntBE(0, COUNTER_BYTES);
  }

  private recordAt(number: number, revision: number): StoredRecord {
    const position = this.positionAt(number, revision);
    const bytes = this.records.get(position);
    if (!bytes) throw new Error(`The log has no event at position ${position}.`);
    return { position, bytes };
  }

  private newestPosition(): number {
    const [newest] = this.records.getKeys({ reverse: true, limit: 1 });
    return newest ?? 0;
  }
}

/** Numbers as bytes that sort like them. */
function counters(...numbers: number[]): Buffer {
  const key = Buffer.allocUnsafe(numbers.length * COUNTER_BYTES);
  numbers.forEach((number, index) => key.writeUIntBE(number, index * COUNTER_BYTES, COUNTER_BYTES));
  return key;
}

/** A commit that fails says why in a promise of its own, which would count as an unhandled rejection; lmdb prints the reason as well. */
function forgetReason(error: unknown): never {
  const { commitError } = error as { commitError?: Promise<unknown> };
  commitError?.catch(() => undefined);
  throw error;
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
