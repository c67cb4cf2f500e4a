/** Last revision of a stream without events. */
export const NO_EVENTS = -1;

/** The revision that a writer expects of a stream. It may be any 64-bit number, even one that no stream will ever reach. */
export type Expectation =
  | { readonly kind: 'any' }
  | { readonly kind: 'no_stream' }
  | { readonly kind: 'stream_exists' }
  | { readonly kind: 'exact'; readonly revision: bigint };

/** A stream, as far as the decision on an append needs it. */
export interface StoredStream {
  /** Revision of the newest event; NO_EVENTS for a stream that does not exist. */
  readonly lastRevision: number;
  idAt(revision: number): Buffer | undefined;
  /** Returns the newest revision with this event id. */
  revisionOf(id: Buffer): number | undefined;
}

export type Decision =
  | { readonly kind: 'write' }
  /** The same events were appended before, or there are none: the response is the one of the earlier append. */
  | { readonly kind: 'unchanged'; readonly revision: number }
  | { readonly kind: 'wrong_revision' };

const WRITE: Decision = { kind: 'write' };
const WRONG: Decision = { kind: 'wrong_revision' };

/** Applies EventStoreDB's rules to an append of events with these ids: optimistic concurrency, and success for a repeated append. */
export function decideAppend(expected: Expectation, ids: readonly Buffer[], stream: StoredStream): Decision {
  const decision =
    expected.kind === 'any' || expected.kind === 'stream_exists'
      ? decideAnyRevision(expected.kind, ids, stream)
      : decideExactRevision(expected, ids, stream);
  return decision === WRITE && ids.length === 0 ? { kind: 'unchanged', revision: stream.lastRevision } : decision;
}

function decideAnyRevision(kind: 'any' | 'stream_exists', ids: readonly Buffer[], stream: StoredStream): Decision {
  if (kind === 'stream_exists' && stream.lastRevision === NO_EVENTS) return WRONG;
  const known = ids.map((id) => stream.revisionOf(id));
  if (known[0] === undefined) return WRITE;
  const last = known.at(-1);
  return last === undefined || known.includes(undefined) ? WRONG : { kind: 'unchanged', revision: last };
}

function decideExactRevision(
  expected: Extract<Expectation, { kind: 'no_stream' | 'exact' }>,
  ids: readonly Buffer[],
  stream: StoredStream,
): Decision {
  const before = expected.kind === 'exact' ? expected.revision : BigInt(NO_EVENTS);
  if (before === BigInt(stream.lastRevision)) return WRITE;
  if (before > stream.lastRevision || ids.length === 0) return WRONG;
  const first = Number(before) + 1;
  const repeated = ids.every((id, index) => stream.idAt(first + index)?.equals(id));
  return repeated ? { kind: 'unchanged', revision: first + ids.length - 1 } : WRONG;
}
