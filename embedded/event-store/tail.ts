import { NO_EVENTS, type StoredStream } from './append-rules.js';
import { type StoredRecord, type StreamHead, type Tables } from './tables.js';

/** A stream as appends and reads see it. */
export interface Stream extends StoredStream {
  /** @throws Error where there is no such revision. */
  positionAt(revision: number): number;
}

/** Those events of a stream that the tables do not have yet. */
class NewestOf {
  readonly positions: number[] = [];
  readonly ids: Buffer[] = [];
  /** Whether ids are looked up in this stream: the tables shall then be able to when they get it. */
  asksForIds = false;
  private revisions: Map<string, number> | undefined;

  constructor(
    readonly name: Buffer,
    readonly number: number,
    readonly firstRevision: number,
  ) {}

  get lastRevision(): number {
    return this.firstRevision + this.positions.length - 1;
  }

  push(position: number, id: Buffer): void {
    this.positions.push(position);
    this.ids.push(id);
    this.revisions?.set(id.toString('latin1'), this.lastRevision);
  }

  pop(): void {
    this.positions.pop();
    this.ids.pop();
    this.revisions = undefined;
  }

  revisionOf(id: Buffer): number | undefined {
    this.revisions ??= new Map(this.ids.map((each, index) => [each.toString('latin1'), this.firstRevision + index]));
    return this.revisions.get(id.toString('latin1'));
  }
}

/**
 * The log as everybody sees it: the tables and, behind them in memory, the newest events, which the tables get many at once. A
 * scattered page, of a stream's revisions for instance, is then written once for many appends.
 */
export class Tail {
  private streams = new Map<string, NewestOf>();
  private records: Buffer[] = [];
  private owners: NewestOf[] = [];
  /** Position of the newest event that the tables have. */
  private settled: number;

  constructor(private readonly tables: Tables) {
    this.settled = tables.newestPosition();
  }

  /** 0 for none. */
  get newestPosition(): number {
    return this.settled + this.records.length;
  }

  /** Last revision of a stream; NO_EVENTS for one that does not exist. */
  lastRevision(name: Buffer): number {
    return (this.streams.get(keyOf(name)) ?? this.tables.headOf(name)).lastRevision;
  }

  stream(name: Buffer): Stream {
    const newest = this.streams.get(keyOf(name));
    if (!newest) return this.settledStream(this.tables.headOf(name));
    const { number, firstRevision, lastRevision } = newest;
    const older = this.settledStream({ number, lastRevision: firstRevision - 1 });
    return {
      lastRevision,
      positionAt: (revision) => newest.positions[revision - firstRevision] ?? older.positionAt(revision),
      idAt: (revision) => newest.ids[revision - firstRevision] ?? older.idAt(revision),
      revisionOf: (id) => newest.revisionOf(id) ?? older.revisionOf(id),
    };
  }

  /** @throws Error where there is no such position. */
  recordAt(position: number): Buffer {
    return this.records[position - this.settled - 1] ?? this.tables.recordAt(position);
  }

  /** From a position to another, both inclusive, upwards or downwards: some of those that are there, or none only where none is. */
  *recordsBetween(from: number, to: number, limit: number): Generator<StoredRecord, void, undefined> {
    const first = Math.max(from, 1);
    if (first <= this.settled) {
      yield* this.tables.recordsBetween(first, Math.min(to, this.settled), limit);
      return;
    }
    const step = from <= to ? 1 : -1;
    const end = step > 0 ? Math.min(to, this.newestPosition) : Math.max(to, this.settled + 1);
    for (let position = first; (end - position) * step >= 0; position += step) yield { position, bytes: this.recordAt(position) };
  }

  /** Behind the newest, at the next revision of its stream. @param asksForIds whether its ids were looked up, and will be again */
  push(name: Buffer, id: Buffer, record: Buffer, asksForIds: boolean): void {
    const key = keyOf(name);
    let newest = this.streams.get(key);
    if (!newest) {
      const { number, lastRevision } = this.tables.headOf(name);
      newest = new NewestOf(name, lastRevision === NO_EVENTS ? this.newestPosition + 1 : number, lastRevision + 1);
      this.streams.set(key, newest);
    }
    newest.push(this.newestPosition + 1, id);
    newest.asksForIds ||= asksForIds;
    this.records.push(record);
    this.owners.push(newest);
  }

  /** The records from a position on. */
  since(position: number): Buffer[] {
    return this.records.slice(position - this.settled - 1);
  }

  /** Takes back all from a position on. */
  dropSince(position: number): void {
    while (this.newestPosition >= position && this.records.pop()) {
      const owner = this.owners.pop();
      owner?.pop();
      if (owner?.positions.length === 0) this.streams.delete(keyOf(owner.name));
    }
  }

  /** Makes all ids of a stream ones that can be looked up, so many in a transaction. @returns whether there are more. */
  keepIds(name: Buffer, limit: number): boolean {
    const head = this.tables.headOf(name);
    if (head.idsRetained > head.lastRevision) return false;
    this.tables.transaction(() => this.tables.keepIds(name, head, limit));
    return true;
  }

  /** Has the tables take all of it. It is on disk when this returns. @throws Error when the disk fails; it all stays here then. */
  settle(): void {
    if (this.records.length === 0) return;
    this.tables.transaction(() => {
      this.records.forEach((bytes, index) => {
        this.tables.putRecord({ position: this.settled + 1 + index, bytes });
      });
      for (const stream of this.streams.values()) this.settleStream(stream);
    });
    this.settled = this.newestPosition;
    this.records = [];
    this.owners = [];
    this.streams = new Map();
  }

  private settleStream({ name, number, firstRevision, lastRevision, positions, ids, asksForIds }: NewestOf): void {
    const { idsRetained } = this.tables.headOf(name);
    for (const [index, id] of ids.entries()) this.tables.putRevision(number, firstRevision + index, positions[index] ?? 0, id);
    const head: StreamHead = { number, lastRevision, idsRetained };
    this.tables.putHead(name, head);
    if (asksForIds) this.tables.keepIds(name, head, Infinity);
  }

  private settledStream({ number, lastRevision }: Pick<StreamHead, 'number' | 'lastRevision'>): Stream {
    return {
      lastRevision,
      positionAt: (revision) => this.tables.positionAt(number, revision),
      idAt: (revision) => this.tables.idAt(number, revision),
      revisionOf: (id) => (lastRevision === NO_EVENTS ? undefined : this.tables.revisionOf(number, id)),
    };
  }
}

function keyOf(name: Buffer): string {
  return name.toString('latin1');
}
