import { join } from 'node:path';
import { type Append, AppendDecisions, type Appended } from '../append-decisions.js';
import { looksUpIds, NO_EVENTS } from '../append-rules.js';
import { type AcknowledgedMark } from './acknowledged.js';
import { AppendGate, type LogObserver, STDERR } from '../append-gate.js';
import { checkTables } from './check-tables.js';
import { DamagedLog } from './damaged-log.js';
import { Journal, JOURNAL } from './journal.js';
import { RecentIds } from './recent-ids.js';
import { recover } from './recover.js';
import { type StoredRecord, Tables } from './tables.js';
import { firstShown, isMetadataStream, retentionOf, subjectOf } from '../stream-metadata.js';
import { type Tail } from './tail.js';

export type { Append, Appended };

interface WaitingAppend extends Append {
  readonly bytes: number;
  readonly resolve: (outcome: Appended) => void;
  readonly reject: (reason: unknown) => void;
}

/** Limits of a commit, so that it does not block other calls for long. */
const COMMIT_APPENDS_MAX = 1_000;
const COMMIT_BYTES_MAX = 4 * 1024 * 1024;
/** Limits of a page: the first one applies to small events, the second one to large events. */
const PAGE_RECORDS = 512;
const PAGE_BYTES = 512 * 1024;

/**
 * The event log. An append waits for the disk; a read sees only events that are on disk.
 *
 * A commit is written to the journal, which takes one flush of the disk and no more bytes than the events have. When the journal is
 * full, all of its events go to the tables in one transaction, and the next round overwrites it. The tables are consistent at any
 * moment, and the journal has every event that they lack, so a start after any crash finds all acknowledged events.
 *
 * The server's lock ensures that only one process opens the folder.
 */
export class EventLog {
  private readonly listeners = new Set<() => void>();
  private waiting: WaitingAppend[] = [];
  private committing: NodeJS.Immediate | undefined;
  private readonly gate: AppendGate;
  private readonly recentIds: RecentIds;
  private readonly decisions: AppendDecisions;
  private isClosed = false;

  private constructor(
    path: string,
    private readonly tables: Tables,
    private readonly tail: Tail,
    private readonly journal: Journal | undefined,
    private readonly mark: AcknowledgedMark,
    observer: LogObserver,
  ) {
    this.recentIds = new RecentIds(tail);
    this.decisions = new AppendDecisions(tail, this.recentIds);
    this.gate = new AppendGate(path, observer, () => {
      tail.flush();
      journal?.erase();
    });
  }

  /**
   * Opens the log and moves the events of the journal to the tables.
   * @param openJournal opens the journal. If it returns none, each commit is a transaction of the tables, equally durable but slower.
   * @throws DamagedLog, or Error when journal and tables do not belong to the same log.
   */
  static open(
    path: string,
    openJournal: (file: string) => Journal | undefined = (file) => Journal.open(file),
    observer: LogObserver = STDERR,
  ): EventLog {
    checkTables(path, { contents: false });
    const tables = Tables.open(path);
    try {
      const { tail, mark } = recover(path, tables, observer.notice);
      return new EventLog(path, tables, tail, openJournal(join(path, JOURNAL)), mark, observer);
    } catch (error) {
      void tables.close();
      throw error;
    }
  }

  /** Position of the newest event on disk; 0 for an empty log. */
  get head(): number {
    return this.tail.newestPosition;
  }

  /**
   * Appends events; resolves when all of them are on disk. Appends are decided one after another in the order of their calls. Those of
   * the same turn of the event loop, and those that arrive while a commit blocks it, share one commit.
   * @throws DiskFull if the disk has no room; nothing of the append is stored then
   */
  append(append: Append): Promise<Appended> {
    if (this.gate.refusal) return Promise.reject(this.gate.refusal);
    if (this.isClosed) return Promise.reject(new Error('The event store has been stopped.'));
    const bytes = append.events.reduce((sum, { data, customMetadata }) => sum + data.length + customMetadata.length, 0);
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...append, bytes, resolve, reject });
      this.committing ??= this.nextTurn();
    });
  }

  /** Registers a listener for commits; returns the function that removes it. */
  onCommit(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Returns the last revision of a stream; NO_EVENTS for one that does not exist, or looks so because it was deleted. */
  lastRevision(stream: Buffer): number {
    return retentionOf(this.tail, stream).isDeleted ? NO_EVENTS : this.tail.lastRevision(stream);
  }

  /** Returns the revision of the newest event of a stream, hidden or not; NO_EVENTS for one that does not exist. */
  newestRevision(stream: Buffer): number {
    return this.tail.lastRevision(stream);
  }

  /** Whether the stream was ended for good. */
  isTombstoned(stream: Buffer): boolean {
    return this.tail.stream(stream).isTombstoned || (isMetadataStream(stream) && this.tail.stream(subjectOf(stream)).isTombstoned);
  }

  /** Returns the first revision of a stream that its metadata does not hide. */
  firstRevision(stream: Buffer): number {
    const retention = retentionOf(this.tail, stream);
    return retention.before === 0 && retention.maxCount === Infinity && retention.maxAgeMs === Infinity
      ? 0
      : firstShown(this.tail, stream, retention);
  }

  /** Reads a page of a stream between two revisions, both inclusive, upwards or downwards. It is empty only when no event is left. */
  readStream(name: Buffer, from: number, to: number): StoredRecord[] {
    const stream = this.tail.stream(name);
    const step = from <= to ? 1 : -1;
    const page: StoredRecord[] = [];
    let bytes = 0;
    for (let revision = from; page.length < PAGE_RECORDS && bytes < PAGE_BYTES; revision += step) {
      if (revision < 0 || revision > stream.lastRevision) break;
      const position = stream.positionAt(revision);
      const record = { position, bytes: this.tail.recordAt(position) };
      page.push(record);
      bytes += record.bytes.length;
      if (revision === to) break;
    }
    return page;
  }

  /** Reads a page of the log between two positions, both inclusive, upwards or downwards. It is empty only when no event is left. */
  readAll(from: number, to: number): StoredRecord[] {
    const page: StoredRecord[] = [];
    let bytes = 0;
    for (const record of this.tail.recordsBetween(from, to, PAGE_RECORDS)) {
      page.push(record);
      bytes += record.bytes.length;
      if (bytes >= PAGE_BYTES || page.length === PAGE_RECORDS) break;
    }
    return page;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    while (this.waiting.length > 0) this.commitWaiting();
    clearImmediate(this.committing);
    this.gate.close();
    try {
      this.tail.flush();
      this.journal?.erase();
    } catch {
      // The events are in the journal.
    }
    this.journal?.close();
    this.mark.close();
    await this.tables.close();
  }

  private nextTurn(): NodeJS.Immediate {
    return setImmediate(() => {
      this.commitWaiting();
    });
  }

  /**
   * Commits once per turn of the event loop, so that other calls are served in between. The commit runs in this thread, because the
   * messages to and from another thread would cost more than the rest of an append.
   */
  private commitWaiting(): void {
    const batch = this.readMoreIds() ? [] : this.takeBatch();
    this.committing = this.waiting.length > 0 ? this.nextTurn() : undefined;
    if (batch.length === 0) return;
    const before = this.head;
    for (const { append, outcome } of this.commit(batch)) append.resolve(outcome);
    if (this.head > before) for (const listener of this.listeners) listener();
  }

  private takeBatch(): WaitingAppend[] {
    let bytes = 0;
    const full = this.waiting.findIndex((append) => (bytes += append.bytes) > COMMIT_BYTES_MAX);
    return this.waiting.splice(0, Math.min(full < 0 ? COMMIT_APPENDS_MAX : Math.max(full, 1), COMMIT_APPENDS_MAX));
  }

  /** Reads ids that waiting appends look up. @returns true if more are left, and the appends must wait. */
  private readMoreIds(): boolean {
    if (!this.waiting.some(({ expected }) => looksUpIds(expected))) return false;
    try {
      return this.recentIds.readMore();
    } catch (error) {
      this.refuseAppends(error);
      return true;
    }
  }

  /** Commits a batch. @returns the outcomes of the appends that were decided and are on disk; the other appends were rejected. */
  private commit(batch: readonly WaitingAppend[]): { append: WaitingAppend; outcome: Appended }[] {
    const before = this.head;
    const outcomes = batch.flatMap((append) => {
      const next = this.head + 1;
      try {
        return [{ append, outcome: this.decisions.decide(append) }];
      } catch (error) {
        // The error of one append must not fail the others.
        this.discardFrom(next);
        append.reject(error instanceof DamagedLog ? this.refuseAppends(error) : error);
        return [];
      }
    });
    try {
      this.store(this.tail.recordsFrom(before + 1));
      if (this.head > before) this.mark.set(this.head);
      return outcomes;
    } catch (error) {
      this.discardFrom(before + 1);
      const refusal = this.refuseAppends(error);
      // This includes appends without new events, because their decision relied on the events that were discarded.
      for (const { append } of outcomes) append.reject(refusal);
      return [];
    }
  }

  /** Refuses the waiting and all further appends, because the disk failed or the log is damaged. @returns the error for the appends */
  refuseAppends(error: unknown): Error {
    const refusal = this.gate.refuse(error);
    for (const append of this.waiting.splice(0)) append.reject(refusal);
    return refusal;
  }

  private discardFrom(position: number): void {
    this.tail.discardFrom(position);
    this.recentIds.forgetFrom(position);
  }

  private store(records: readonly Buffer[]): void {
    if (records.length === 0) return;
    if (this.journal?.append(records)) return;
    this.tail.flush();
    this.journal?.restart();
  }
}
