import { decideAppend, type Expectation, looksUpIds, NO_EVENTS } from './append-rules.js';
import { type RecentIds } from './storing/recent-ids.js';
import {
  DELETION,
  firstShown,
  isMetadataStream,
  metadataStreamOf,
  newestMetadata,
  type Retention,
  retentionOf,
  subjectOf,
  truncatedBefore,
} from './stream-metadata.js';
import { type Stream } from './storing/tables.js';
import { type Tail } from './storing/tail.js';
import { uuidBytes } from './serving/uuid.js';
import { dataOf, encodeRecord, metadataEvent, type ProposedEvent, tombstoneEvent } from './serving/wire.js';

export type Appended =
  /** The position is undefined for a repetition of events that the stream's metadata hides. */
  | { readonly kind: 'appended'; readonly revision: number; readonly position: number | undefined }
  /** `current` is the last revision; NO_EVENTS if the stream does not exist. */
  | { readonly kind: 'wrong_revision'; readonly current: number }
  | { readonly kind: 'stream_deleted' }
  | { readonly kind: 'other_order' }
  | { readonly kind: 'nothing_to_deleted' };

export interface Append {
  readonly stream: Buffer;
  readonly expected: Expectation;
  readonly events: readonly ProposedEvent[];
  /** Set to delete the stream, until somebody appends to it or for good, instead of appending events. */
  readonly removal?: 'deletion' | 'tombstone';
}

/** Decides appends and deletions one after another. Their events join the tail at once, where later decisions see them. */
export class AppendDecisions {
  constructor(
    private readonly tail: Tail,
    private readonly recentIds: RecentIds,
  ) {}

  decide(append: Append): Appended {
    const { stream: name, expected, events } = append;
    const stream = this.tail.stream(name);
    const retention = retentionOf(this.tail, name);
    if (append.removal) return this.remove(append, append.removal, stream, retention);
    const ids = events.map(({ id }) => uuidBytes(id));
    // Earlier appends of this commit may have added events since the ids were read.
    if (looksUpIds(expected)) while (this.recentIds.readMore());
    const revisionOf = (id: Buffer): number | undefined => this.recentIds.revisionOf(name, id);
    const { lastRevision, isTombstoned, idAt } = stream;
    const { isDeleted } = retention;
    const hasMetadata = (): boolean => this.tail.hasMetadata && newestMetadata(this.tail, name) !== undefined;
    const decision = decideAppend(expected, ids, { lastRevision, isTombstoned, isDeleted, hasMetadata, idAt, revisionOf });
    switch (decision.kind) {
      case 'other_order':
      case 'stream_deleted':
        return decision;
      case 'wrong_revision':
        return { kind: 'wrong_revision', current: lastRevision };
      case 'unchanged':
        return ids.length === 0 ? this.nothing(retention, lastRevision) : this.repeated(name, stream, retention, decision.revision);
      case 'write':
        return this.write(name, events, retention);
    }
  }

  /** No events are appended at the end of the log, which EventStoreDB's response has as well. */
  private nothing({ isDeleted }: Retention, revision: number): Appended {
    return isDeleted ? { kind: 'nothing_to_deleted' } : { kind: 'appended', revision, position: this.tail.newestPosition };
  }

  private repeated(name: Buffer, { positionAt }: Stream, retention: Retention, revision: number): Appended {
    const isShown = !retention.isDeleted && revision >= firstShown(this.tail, name, retention);
    return { kind: 'appended', revision, position: isShown ? positionAt(revision) : undefined };
  }

  private write(name: Buffer, events: readonly ProposedEvent[], { isDeleted }: Retention): Appended {
    const before = this.tail.lastRevision(name);
    const subject = isMetadataStream(name) ? subjectOf(name) : undefined;
    const revives = subject !== undefined && retentionOf(this.tail, subject).isDeleted;
    for (const event of events) this.push(name, event);
    const appended = { kind: 'appended', revision: before + events.length, position: this.tail.newestPosition } as const;
    // EventStoreDB shows a deleted stream from its next event on, and after other metadata, as a stream of which all events are hidden.
    const data = events.at(-1)?.data;
    if (isDeleted) this.showFrom(name, before + 1);
    else if (revives && data) this.push(name, metadataEvent(truncatedBefore(data, this.tail.lastRevision(subject) + 1)));
    return appended;
  }

  private showFrom(name: Buffer, revision: number): void {
    const metadata = newestMetadata(this.tail, name);
    this.push(metadataStreamOf(name), metadataEvent(truncatedBefore(metadata ? dataOf(metadata) : Buffer.alloc(0), revision)));
  }

  private remove({ stream: name, expected }: Append, removal: 'deletion' | 'tombstone', stream: Stream, retention: Retention): Appended {
    const { lastRevision, isTombstoned } = stream;
    if (isTombstoned) return { kind: 'stream_deleted' };
    const isThere = lastRevision !== NO_EVENTS || (removal === 'deletion' && newestMetadata(this.tail, name) !== undefined);
    if (!isExpected(expected, lastRevision, isThere, retention, removal)) return { kind: 'wrong_revision', current: lastRevision };
    if (removal === 'deletion') this.push(metadataStreamOf(name), metadataEvent(DELETION));
    else this.push(name, tombstoneEvent(), true);
    return { kind: 'appended', revision: lastRevision, position: this.tail.newestPosition };
  }

  private push(stream: Buffer, event: ProposedEvent, isTombstone = false): void {
    const revision = this.tail.lastRevision(stream) + 1;
    const created = BigInt(Date.now()) * 10_000n;
    const record = encodeRecord(event, { stream, revision, position: this.tail.newestPosition + 1, created, isTombstone });
    this.tail.push(stream, uuidBytes(event.id), record, isTombstone);
  }
}

/** A stream that never was can be ended for good, but not deleted. */
function isExpected(
  expected: Expectation,
  lastRevision: number,
  isThere: boolean,
  { isDeleted }: Retention,
  removal: 'deletion' | 'tombstone',
): boolean {
  switch (expected.kind) {
    case 'any':
      return isThere || removal === 'tombstone';
    case 'stream_exists':
      return isThere;
    case 'no_stream':
      return isDeleted || (lastRevision === NO_EVENTS && removal === 'tombstone');
    case 'exact':
      return isThere && expected.revision === BigInt(lastRevision);
  }
}
