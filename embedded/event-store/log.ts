import { type Database, open, type RootDatabase } from 'lmdb';

/** An event as a writer proposes it. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly customMetadata: Uint8Array;
}

/** An event at its place: what a record's bytes are made of. */
export interface PlacedEvent extends ProposedEvent {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  /** 100-nanosecond ticks since 1970. */
  readonly created: bigint;
}

export type ExpectedRevision = { readonly kind: 'any' } | { readonly kind: 'no_stream' } | { readonly kind: 'stream_exists' } | { readonly kind: 'exact'; readonly revision: number };

export type Appended =
  | { readonly kind: 'appended'; readonly revision: number; readonly position: number }
  /** -1: the stream does not exist. */
  | { readonly kind: 'wrong_revision'; readonly current: number };

/** An event as it lies on disk: clear fields for filters, and the bytes that go over the wire as they are. */
export interface StoredRecord {
  readonly position: number;
  readonly stream: string;
  readonly type: string;
  readonly id: string;
  readonly bytes: Uint8Array;
}

const NO_EVENTS = -1;
const MAP_SIZE_BYTES = 1024 ** 4;

/**
 * The log on LMDB: every event once, under its position, with an index by stream and revision, and one by stream and id.
 *
 * All appends of one turn share a commit. `overlappingSync: false` makes LMDB sync the data before the commit becomes visible, so
 * that neither an acknowledgement nor a reader can see what a power cut would take back. One process at a time: the positions are
 * counted here; the owner of the data folder holds its lock.
 */
export class EventLog {
  private readonly records: Database<Buffer, number>;
  private readonly revisions: Database<number, [string, number]>;
  private readonly heads: Database<number, string>;
  private readonly ids: Database<number, [string, string]>;
  private readonly listeners = new Set<() => void>();
  private lastPosition: number;
  private committed: number;

  private constructor(
    private readonly root: RootDatabase,
    private readonly encode: (event: PlacedEvent) => Uint8Array,
  ) {
    this.records = root.openDB({ name: 'records', encoding: 'binary' });
    this.revisions = root.openDB({ name: 'revisions' });
    this.heads = root.openDB({ name: 'heads' });
    this.ids = root.openDB({ name: 'ids' });
    const [last] = this.records.getKeys({ reverse: true, limit: 1 });
    this.lastPosition = last ?? 0;
    this.committed = this.lastPosition;
  }

  static open(path: string, encode: (event: PlacedEvent) => Uint8Array): EventLog {
    return new EventLog(open({ path, maxDbs: 8, mapSize: MAP_SIZE_BYTES, overlappingSync: false, noSubdir: false }), encode);
  }

  /** Position of the newest event on disk; 0 for none. */
  get head(): number {
    return this.committed;
  }

  /** Resolves once the events, all of them, are on disk. */
  async append(stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Promise<Appended> {
    const outcome = await this.root.transaction(() => this.decide(stream, expected, events));
    if (outcome.kind === 'appended' && outcome.position > this.committed) {
      this.committed = outcome.position;
      this.root.resetReadTxn();
      for (const listener of this.listeners) listener();
    }
    return outcome;
  }

  /** Called after each commit, until the answered function is called. */
  onCommit(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Last revision of a stream; -1 for none. */
  lastRevision(stream: string): number {
    return this.heads.get(stream) ?? NO_EVENTS;
  }

  /** A page of a stream from a revision on (inclusive, both ways). */
  readStream(stream: string, from: number, backwards: boolean, limit: number): StoredRecord[] {
    const end: [string, number] = [stream, backwards ? NO_EVENTS : Number.MAX_SAFE_INTEGER];
    const range = this.revisions.getRange({ start: [stream, from], end, reverse: backwards, limit });
    return [...range].flatMap(({ value: position }) => this.record(position) ?? []);
  }

  /** A page of the whole log, from a position (inclusive) up, or down from the one below it. */
  readAll(from: number, backwards: boolean, limit: number): StoredRecord[] {
    const range = backwards
      ? this.records.getRange({ start: from - 1, end: 0, reverse: true, limit })
      : this.records.getRange({ start: from, end: this.committed + 1, limit });
    return [...range].map(({ key, value }) => parse(key, value));
  }

  async close(): Promise<void> {
    await this.root.close();
  }

  private record(position: number): StoredRecord | undefined {
    const bytes = this.records.get(position);
    return bytes && parse(position, bytes);
  }

  /** Runs inside the write transaction, one after another: what it reads is what those before it wrote. */
  private decide(stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[]): Appended {
    const current = this.lastRevision(stream);
    const repeated = this.repeated(stream, expected, events, current);
    if (repeated) return repeated;
    if (!matches(expected, current)) return { kind: 'wrong_revision', current };
    const created = BigInt(Date.now()) * 10_000n;
    let revision = current;
    for (const event of events) {
      revision += 1;
      this.lastPosition += 1;
      const placed = { ...event, stream, revision, position: this.lastPosition, created };
      this.records.putSync(this.lastPosition, frame(placed, this.encode(placed)));
      this.revisions.putSync([stream, revision], this.lastPosition);
      this.ids.putSync([stream, event.id], revision);
    }
    this.heads.putSync(stream, revision);
    return { kind: 'appended', revision, position: this.lastPosition };
  }

  /** An append that had been done before is answered as it was then, or as wrong where only a part of it is known. */
  private repeated(stream: string, expected: ExpectedRevision, events: readonly ProposedEvent[], current: number): Appended | undefined {
    if (events.length === 0) {
      return matches(expected, current) ? { kind: 'appended', revision: current, position: this.positionOf(stream, current) } : undefined;
    }
    const known = events.map(({ id }) => this.ids.get([stream, id]));
    const last = known.at(-1);
    const wrong = { kind: 'wrong_revision', current } as const;
    switch (expected.kind) {
      case 'any':
      case 'stream_exists':
        if (known[0] === undefined) return undefined;
        return last !== undefined && known.every((revision) => revision !== undefined) ? { kind: 'appended', revision: last, position: this.positionOf(stream, last) } : wrong;
      case 'no_stream':
      case 'exact': {
        const before = expected.kind === 'exact' ? expected.revision : NO_EVENTS;
        if (before >= current) return undefined;
        const same = known.every((revision, index) => revision === before + 1 + index);
        return same && last !== undefined ? { kind: 'appended', revision: last, position: this.positionOf(stream, last) } : wrong;
      }
    }
  }

  private positionOf(stream: string, revision: number): number {
    return this.revisions.get([stream, revision]) ?? 0;
  }
}

function matches(expected: ExpectedRevision, current: number): boolean {
  switch (expected.kind) {
    case 'any':
      return true;
    case 'no_stream':
      return current === NO_EVENTS;
    case 'stream_exists':
      return current > NO_EVENTS;
    case 'exact':
      return current === expected.revision;
  }
}

/** Lengths and texts of stream, type and id, then the wire bytes. */
function frame({ stream, type, id }: PlacedEvent, bytes: Uint8Array): Buffer {
  const texts = [stream, type, id].map((text) => Buffer.from(text));
  const head = Buffer.alloc(6);
  texts.forEach((text, index) => head.writeUInt16BE(text.length, index * 2));
  return Buffer.concat([head, ...texts, bytes]);
}

function parse(position: number, value: Buffer): StoredRecord {
  let offset = 6;
  const [stream, type, id] = [0, 2, 4].map((at) => {
    const start = offset;
    offset += value.readUInt16BE(at);
    return value.toString('utf8', start, offset);
  });
  return { position, stream: stream ?? '', type: type ?? '', id: id ?? '', bytes: value.subarray(offset) };
}
