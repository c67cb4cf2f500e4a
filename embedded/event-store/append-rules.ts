/** Last revision of a stream that has no events. */
export const NO_EVENTS = -1;

/** What a writer expects of a stream. A revision may be any 64-bit number, also one that no stream will ever reach. */
export type Expectation =
  | { readonly kind: 'any' }
  | { readonly kind: 'no_stream' }
  | { readonly kind: 'stream_exists' }
  | { readonly kind: 'exact'; readonly revision: bigint };

/** What is stored of a stream, as far as a decision needs it. */
export interface StoredStream {
  /** NO_EVENTS for a stream that does not exist. */
  readonly lastRevision: number;
  idAt(revision: number): Buffer | undefined;
  /** The newest revision that an event of this id has in the stream. */
  revisionOf(id: Buffer): number | undefined;
}

export type Decision =
  | { readonly kind: 'write' }
  /** These very events, or none, were to be appended: the answer is the one that was given for this revision. */
  | { readonly kind: 'unchanged'; readonly revision: number }
  | { readonly kind: 'wrong_revision' };

const WRITE: Decision = { kind: 'write' };
const WRONG: Decision = { kind: 'wrong_revision' };

/** EventStoreDB's rules for an append of events with these ids: optimistic concurrency, and success for one that is repeated. */
export function decideAppend(expected: Expectation, ids: readonly Buffer[], stream: StoredStream): Decision {
  const decision =
    expected.kind === 'any' || expected.kind === 'stream_exists'
      ? decideLoosely(expected.kind, ids, stream)
      : decideExactly(expected, ids, stream);
  return decision === WRITE && ids.length === 0 ? { kind: 'unchanged', revision: stream.lastRevision } : decision;
}

function decideLoosely(kind: 'any' | 'stream_exists', ids: readonly Buffer[], stream: StoredStream): Decision {
  if (kind === 'stream_exists' && stream.lastRevision === NO_EVENTS) return WRONG;
  const known = ids.map((id) => stream.revisionOf(id));
  if (known[0] === undefined) return WRITE;
  const last = known.at(-1);
  return last === undefined || known.includes(undefined) ? WRONG : { kind: 'unchanged', revision: last };
}

function decideExactly(
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
