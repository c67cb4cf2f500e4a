import { decideAppend, type Expectation, NO_EVENTS, type StoredStream } from './append-rules.js';
import { type StoredRecord, type StreamHead, Tables } from './tables.js';
import { encodeRecord, type ProposedEvent } from './wire.js';

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
const NO_ID: Buffer = Buffer.alloc(16);

/**
 * The log: who appends waits for the disk, who reads sees what is there.
 *
 * The folder belongs to one process, which the server's lock sees to: others would append correctly, since every decision reads
 * from its write transaction, but their commits would wake no subscriber here.
 */
export class EventLog {
  private readonly listeners = new Set<() => void>();
  private waiting: WaitingAppend[] = [];
  private committing: NodeJS.Immediate | undefined;
  private lastPosition: number;

  private constructor(private readonly tables: Tables) {
    this.lastPosition = tables.newestPosition();
  }

  static open(path: string): EventLog {
    return new EventLog(Tables.open(path));
  }

  /** Position of the newest event on disk; 0 for none. */
  get head(): number {
    return this.lastPosition;
  }

  /**
   * Resolves once the events, all of them, are on disk. Appends are decided one after another, in the order of their calls; those
   * that come in the same turn of the event loop, or while a commit holds it up, share one. @throws Error when the disk fails;
   * nothing is stored then.
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
    return this.tables.headOf(stream).lastRevision;
  }

  /** A page of a stream from a revision to another, both inclusive, upwards or downwards; empty only where there is none left. */
  readStream(stream: Buffer, from: number, to: number): StoredRecord[] {
    const { number, lastRevision } = this.tables.headOf(stream);
    const step = from <= to ? 1 : -1;
    const page: StoredRecord[] = [];
    let bytes = 0;
    for (let revision = from; page.length < PAGE_RECORDS && bytes < PAGE_BYTES; revision += step) {
      if (revision < 0 || revision > lastRevision) break;
      const position = this.tables.positionAt(number, revision);
      const record = { position, bytes: this.tables.recordAt(position) };
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
    for (const record of this.tables.recordsBetween(from, to, PAGE_RECORDS)) {
      page.push(record);
      bytes += record.bytes.length;
      if (bytes >= PAGE_BYTES) break;
    }
    return page;
  }

  async close(): Promise<void> {
    while (this.waiting.length > 0) this.commitWaiting();
    clearImmediate(this.committing);
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
    const before = this.lastPosition;
    for (const { append, outcome } of this.commit(batch)) append.resolve(outcome);
    if (this.lastPosition > before) for (const listener of this.listeners) listener();
  }

  private takeBatch(): WaitingAppend[] {
    let bytes = 0;
    const full = this.waiting.findIndex((append) => (bytes += append.bytes) > COMMIT_BYTES_MAX);
    return this.waiting.splice(0, Math.min(full < 0 ? COMMIT_APPENDS_MAX : Math.max(full, 1), COMMIT_APPENDS_MAX));
  }

  /** @returns whether one that waits must go on waiting for ids of its stream, since they are more than a commit may have. */
  private keepsMoreIds(): boolean {
    for (const { stream, expected } of this.waiting) {
      if (!asksForIds(expected)) continue;
      const head = this.tables.headOf(stream);
      if (head.lastRevision + 1 - head.idsKept <= COMMIT_IDS_MAX) continue;
      try {
        this.tables.transaction(() => this.tables.keepIds(stream, head, COMMIT_IDS_MAX));
        return true;
      } catch {
        // The append itself will say what ails the disk.
        return false;
      }
    }
    return false;
  }

  /** Outcomes of those that could be decided and, where they append, are on disk; the others were told that they failed. */
  private commit(batch: readonly WaitingAppend[]): { append: WaitingAppend; outcome: Appended }[] {
    try {
      const { outcomes, position } = this.tables.transaction(() => {
        let position = this.tables.newestPosition();
        const outcomes = batch.map((append) => {
          const outcome = this.decide(append, position);
          if (outcome.kind === 'appended') position = Math.max(position, outcome.position);
          return { append, outcome };
        });
        return { outcomes, position };
      });
      this.lastPosition = position;
      return outcomes;
    } catch (error) {
      // Whatever one of them ran into must not fail the others.
      if (batch.length > 1) return batch.flatMap((append) => this.commit([append]));
      batch[0]?.reject(error);
      return [];
    }
  }

  /** Runs inside the write transaction, and so reads what those before it have written. */
  private decide({ stream, expected, events }: Append, lastPosition: number): Appended {
    const known = this.tables.headOf(stream);
    const head = asksForIds(expected) ? this.tables.keepIds(stream, known, Infinity) : known;
    const ids = events.map(({ id }) => Buffer.from(id.replaceAll('-', ''), 'hex'));
    const decision = decideAppend(expected, ids, this.storedStream(head));
    switch (decision.kind) {
      case 'wrong_revision':
        return { kind: 'wrong_revision', current: head.lastRevision };
      case 'unchanged':
        return { kind: 'appended', revision: decision.revision, position: decision.revision < 0 ? 0 : this.tables.positionAt(head.number, decision.revision) };
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
      const bytes = encodeRecord(event, { stream, revision, position, created });
      this.tables.putEvent(number, revision, ids[index] ?? NO_ID, { position, bytes });
    });
    this.tables.putHead(stream, { number, lastRevision: revision, idsKept: head.idsKept });
    return { kind: 'appended', revision, position };
  }

  private storedStream({ number, lastRevision }: StreamHead): StoredStream {
    return {
      lastRevision,
      idAt: (revision) => this.tables.idAt(number, revision),
      revisionOf: (id) => (lastRevision === NO_EVENTS ? undefined : this.tables.revisionOf(number, id)),
    };
  }
}

function asksForIds(expected: Expectation): boolean {
  return expected.kind === 'any' || expected.kind === 'stream_exists';
}
