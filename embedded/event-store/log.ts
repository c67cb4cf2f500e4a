import { join } from 'node:path';
import { decideAppend, type Expectation } from './append-rules.js';
import { Journal, recordsIn } from './journal.js';
import { STREAM_NAME_BYTES_MAX } from './limits.js';
import { type StoredRecord, Tables } from './tables.js';
import { type Stream, Tail } from './tail.js';
import { encodeRecord, idBytes, type ProposedEvent, recordFacts } from './wire.js';

export type Appended =
  | { readonly kind: 'appended'; readonly revision: number; readonly position: number }
  /** NO_EVENTS: the stream does not exist. */
  | { readonly kind: 'wrong_revision'; readonly current: number };

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

/** What commits together is bounded, so that other calls get their turn. */
const COMMIT_APPENDS_MAX = 1_000;
const COMMIT_BYTES_MAX = 4 * 1024 * 1024;
/** Ids that nobody asked for when they came; a stream that has more of them gets several commits. */
const COMMIT_IDS_MAX = 10_000;
/** Enough for a page of small events; one of large events stops at the bytes. */
const PAGE_RECORDS = 512;
const PAGE_BYTES = 512 * 1024;
const JOURNAL = 'journal';

/**
 * The log: who appends waits for the disk, who reads sees what is there.
 *
 * A commit goes to the journal, which takes one flush of the disk and no more bytes than there are events. When it is full, the tables
 * get all of it in one transaction, and the next round writes over it. At each moment the tables are whole, and the journal has every
 * event that they do not have: whatever ends the process, or the machine, a start finds all that was acknowledged.
 *
 * The folder belongs to one process, which the server's lock sees to.
 */
export class EventLog {
  private readonly listeners = new Set<() => void>();
  private waiting: WaitingAppend[] = [];
  private committing: NodeJS.Immediate | undefined;
  /** The disk failed: nobody knows what is on it, and whatever came next could contradict it. */
  private failure: Error | undefined;

  private constructor(
    private readonly tables: Tables,
    private readonly tail: Tail,
    private readonly journal: Journal | undefined,
  ) {}

  /**
   * @param openJournal makes the journal, or none: each commit then is a transaction of the tables, which is as durable and slower.
   * @throws Error when the journal is not the tables' own.
   */
  static open(path: string, openJournal: (file: string) => Journal | undefined = (file) => Journal.open(file)): EventLog {
    const tables = Tables.open(path);
    const tail = new Tail(tables);
    const file = join(path, JOURNAL);
    for (const record of recordsIn(file)) {
      const { stream, revision, id, position } = recordFacts(record);
      const newest = tail.newestPosition;
      const isNext = position === newest + 1 && revision === tail.lastRevision(stream) + 1;
      if (isNext) tail.push(stream, id, record, false);
      else if (position > newest || !tail.recordAt(position).equals(record))
        throw new Error(
          `${file} has something else at position ${position} than the tables beside it, which end at ${newest}: they are not of one log.`,
        );
    }
    tail.settle();
    return new EventLog(tables, tail, openJournal(file));
  }

  /** Position of the newest event on disk; 0 for none. */
  get head(): number {
    return this.tail.newestPosition;
  }

  /**
   * Resolves once the events, all of them, are on disk. Appends are decided one after another, in the order of their calls; those
   * that come in the same turn of the event loop, or while a commit holds it up, share one. @throws Error when the disk fails,
   * and from then on: what is on it tells the next start.
   */
  append(append: Append): Promise<Appended> {
    const bytes = append.events.reduce((sum, { data, customMetadata }) => sum + data.length + customMetadata.length, 0);
    return new Promise((resolve, reject) => {
      this.waiting.push({ ...append, bytes, resolve, reject });
      this.committing ??= this.nextTurn();
    });
  }

  /** Called after each commit, until the answered function is called. */
  onCommit(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Last revision of a stream; NO_EVENTS for one that does not exist. */
  lastRevision(stream: Buffer): number {
    return this.tail.lastRevision(stream);
  }

  /** A page of a stream from a revision to another, both inclusive, upwards or downwards; empty only where there is none left. */
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

  /** A page of the whole log from a position to another, both inclusive, upwards or downwards; empty only where there is none left. */
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
    while (this.waiting.length > 0) this.commitWaiting();
    clearImmediate(this.committing);
    try {
      this.tail.settle();
    } catch {
      // The journal has it.
    }
    this.journal?.close();
    await this.tables.close();
  }

  private nextTurn(): NodeJS.Immediate {
    return setImmediate(() => {
      this.commitWaiting();
    });
  }

  /**
   * One commit a turn of the event loop, so that whoever else has come gets a turn as well. It is made in this thread: to hand it to
   * another one, and be told of its end, costs more than the rest of an append.
   */
  private commitWaiting(): void {
    const batch = this.keepsMoreIds() ? [] : this.takeBatch();
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

  /** @returns whether one that waits must go on waiting for ids of its stream. */
  private keepsMoreIds(): boolean {
    for (const append of this.waiting) {
      if (!asksForIds(append.expected)) continue;
      try {
        if (this.tail.keepIds(append.stream, COMMIT_IDS_MAX)) return true;
      } catch (error) {
        this.waiting = this.waiting.filter((each) => each !== append);
        append.reject(error);
        return true;
      }
    }
    return false;
  }

  /** Outcomes of those that could be decided and, where they append, are on disk; the others were told that they failed. */
  private commit(batch: readonly WaitingAppend[]): { append: WaitingAppend; outcome: Appended }[] {
    const before = this.head;
    const outcomes = batch.flatMap((append) => {
      const next = this.head + 1;
      try {
        return [{ append, outcome: this.decide(append) }];
      } catch (error) {
        // Whatever one of them ran into must not fail the others.
        this.tail.dropSince(next);
        append.reject(error);
        return [];
      }
    });
    try {
      this.store(this.tail.since(before + 1));
      return outcomes;
    } catch (error) {
      this.failure = new Error('The disk of the event store failed; it takes no appends until it is started again.', { cause: error });
      this.tail.dropSince(before + 1);
      // Also those that append nothing: they were decided by what is not there now.
      for (const { append } of outcomes) append.reject(error);
      return [];
    }
  }

  private store(records: readonly Buffer[]): void {
    if (records.length === 0) return;
    if (this.failure) throw this.failure;
    if (this.journal?.append(records)) return;
    this.tail.settle();
    this.journal?.restart();
  }

  /** What it appends is part of the tail at once, for those that are decided next; nobody else sees it before it is on disk. */
  private decide({ stream: name, expected, events }: Append): Appended {
    if (name.length > STREAM_NAME_BYTES_MAX) throw new RangeError(`A stream name has at most ${STREAM_NAME_BYTES_MAX} bytes.`);
    const stream = this.tail.stream(name);
    const ids = events.map(({ id }) => idBytes(id));
    const decision = decideAppend(expected, ids, stream);
    switch (decision.kind) {
      case 'wrong_revision':
        return { kind: 'wrong_revision', current: stream.lastRevision };
      case 'unchanged':
        return {
          kind: 'appended',
          revision: decision.revision,
          position: decision.revision < 0 ? 0 : stream.positionAt(decision.revision),
        };
      case 'write':
        return this.write({ stream: name, expected, events }, stream, ids);
    }
  }

  private write({ stream, expected, events }: Append, { lastRevision }: Stream, ids: readonly Buffer[]): Appended {
    const created = BigInt(Date.now()) * 10_000n;
    let revision = lastRevision;
    for (const [index, id] of ids.entries()) {
      const event = events[index];
      if (!event) break;
      revision += 1;
      this.tail.push(stream, id, encodeRecord(event, { stream, revision, position: this.head + 1, created }), asksForIds(expected));
    }
    return { kind: 'appended', revision, position: this.head };
  }
}

function asksForIds(expected: Expectation): boolean {
  return expected.kind === 'any' || expected.kind === 'stream_exists';
}
