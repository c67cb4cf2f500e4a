/** Last revision of a stream without events. */
export const NO_EVENTS = -1;
/** The revision that EventStoreDB takes for -1, which is the one of a stream without events. */
export const NO_REVISION = 2n ** 64n - 1n;

/** The revision that a writer expects of a stream: up to 2^63 - 1, even one that no stream will ever reach, or NO_REVISION. */
export type Expectation =
  | { readonly kind: 'any' }
  | { readonly kind: 'no_stream' }
  | { readonly kind: 'stream_exists' }
  | { readonly kind: 'exact'; readonly revision: bigint };

/** A stream, as far as the decision on an append needs it. */
export interface StoredStream {
  /** Revision of the newest event; NO_EVENTS for a stream that does not exist. */
  readonly lastRevision: number;
  /** Whether its metadata hides all of it, until somebody appends to it. */
  readonly isDeleted: boolean;
  readonly isTombstoned: boolean;
  /** Whether it has metadata: a stream with metadata alone passes for one that exists. */
  readonly hasMetadata: () => boolean;
  readonly idAt: (revision: number) => Buffer | undefined;
  /** Returns the revision of a recent event with this id, if the oldest recent event with this id is in this stream. */
  readonly revisionOf: (id: Buffer) => number | undefined;
}

export type Decision =
  | { readonly kind: 'write' }
  /** The same events were appended before, or there are none: the response is the one of the earlier append. */
  | { readonly kind: 'unchanged'; readonly revision: number }
  | { readonly kind: 'wrong_revision' }
  | { readonly kind: 'stream_deleted' }
  /** EventStoreDB never responds to a repetition at any revision whose last event was appended before its first. */
  | { readonly kind: 'other_order' };

const WRITE: Decision = { kind: 'write' };
const WRONG: Decision = { kind: 'wrong_revision' };
const DELETED: Decision = { kind: 'stream_deleted' };

/** Applies EventStoreDB's rules to an append of events with these ids: optimistic concurrency, and success for a repeated append. */
export function decideAppend(expected: Expectation, ids: readonly Buffer[], stream: StoredStream): Decision {
  if (stream.isTombstoned) return DELETED;
  const decision = looksUpIds(expected) ? decideAnyRevision(expected.kind, ids, stream) : decideExactRevision(expected, ids, stream);
  return decision === WRITE && ids.length === 0 ? { kind: 'unchanged', revision: stream.lastRevision } : decision;
}

/** Whether an append with this expectation is recognised as a repetition by the ids of its events alone. */
export function looksUpIds(expected: Expectation): expected is Extract<Expectation, { kind: 'any' | 'stream_exists' }> {
  return expected.kind === 'any' || expected.kind === 'stream_exists';
}

function decideAnyRevision(kind: 'any' | 'stream_exists', ids: readonly Buffer[], stream: StoredStream): Decision {
  if (kind === 'stream_exists' && stream.isDeleted) return DELETED;
  if (kind === 'stream_exists' && stream.lastRevision === NO_EVENTS && !stream.hasMetadata()) return WRONG;
  const known = ids.map((id) => stream.revisionOf(id));
  const [first] = known;
  if (first === undefined) return WRITE;
  const last = known.at(-1);
  if (last === undefined || known.includes(undefined)) return WRONG;
  return last < first ? { kind: 'other_order' } : { kind: 'unchanged', revision: last };
}

function decideExactRevision(
  expected: Extract<Expectation, { kind: 'no_stream' | 'exact' }>,
  ids: readonly Buffer[],
  stream: StoredStream,
): Decision {
  const before = expected.kind === 'exact' && expected.revision !== NO_REVISION ? expected.revision : BigInt(NO_EVENTS);
  if (before === BigInt(stream.lastRevision)) return WRITE;
  const mayBegin = stream.isDeleted && before === BigInt(NO_EVENTS);
  if (before > stream.lastRevision || (ids.length === 0 && !mayBegin)) return WRONG;
  const first = Number(before) + 1;
  const repeated = ids.every((id, index) => stream.idAt(first + index)?.equals(id));
  if (repeated && ids.length > 0) return { kind: 'unchanged', revision: first + ids.length - 1 };
  return mayBegin ? WRITE : WRONG;
}
