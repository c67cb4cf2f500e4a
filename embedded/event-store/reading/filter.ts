import type streams from '@eventstore/db-client/generated/streams_pb.js';
import grpc from '@grpc/grpc-js';
import { RE2JS } from 're2js';
import { EXPRESSION_CHARACTERS_MAX, EXPRESSION_INSTRUCTIONS_MAX, EXPRESSION_UNROLLED_MAX, PREFIXES_MAX } from '../limits.js';
import { RefusedCall } from '../serving/grpc-errors.js';
import { streamOf, typeOf } from '../serving/wire.js';

export type Filter = (record: Buffer) => boolean;
type Matches = (text: string) => boolean;

const { INVALID_ARGUMENT, UNIMPLEMENTED, UNKNOWN } = grpc.status;

/** The expression of the client's `excludeSystemEvents`. It has a fast path, because every projector applies it to every event. */
const NO_SYSTEM_EVENTS = '^[^$].*';

/**
 * Returns the filter of a read of $all, or undefined if it has none. A filter without an expression and without a prefix matches nothing.
 * @throws RefusedCall for an invalid or too large filter, and for one that is not supported
 */
export function filterOf(options: streams.ReadReq.Options.FilterOptions | undefined): Filter | undefined {
  const byStream = options?.getStreamIdentifier();
  const expression = byStream ?? options?.getEventType();
  if (!expression) return undefined;
  const text = byStream ? streamOf : typeOf;
  const prefixes = expression.getPrefixList();
  const matches = prefixes.length > 0 ? anyPrefix(prefixes) : regularExpression(expression.getRegex());
  return (record) => matches(text(record));
}

function anyPrefix(prefixes: readonly string[]): Matches {
  if (prefixes.length > PREFIXES_MAX) throw new RefusedCall(INVALID_ARGUMENT, `A filter must have at most ${PREFIXES_MAX} prefixes.`);
  return (text) => prefixes.some((prefix) => text.startsWith(prefix));
}

/**
 * Compiles an expression that matches in time linear in the text, without backtracking. It therefore supports no lookarounds and no
 * backreferences.
 */
function regularExpression(source: string): Matches {
  if (source === '') return () => false;
  if (source === NO_SYSTEM_EVENTS) return (text) => text !== '' && !text.startsWith('$');
  if (source.length * repeats(source) > EXPRESSION_UNROLLED_MAX)
    throw new RefusedCall(INVALID_ARGUMENT, 'The repetitions of the regular expression are too large.');
  if (source.length > EXPRESSION_CHARACTERS_MAX)
    throw new RefusedCall(INVALID_ARGUMENT, `A regular expression must have at most ${EXPRESSION_CHARACTERS_MAX} characters.`);
  const expression = compiled(source);
  if (expression.programSize() > EXPRESSION_INSTRUCTIONS_MAX)
    throw new RefusedCall(INVALID_ARGUMENT, 'The regular expression is too large.');
  return (text) => expression.test(text);
}

/** Returns an upper bound for the copies that compiling makes of a part: counted repetitions are unrolled, nested ones multiply. */
function repeats(source: string): number {
  return [...source.matchAll(/\{(\d+),?(\d*)\}/g)].reduce(
    (product, [, least, most]) => product * Math.max(1, Number(least), Number(most)),
    1,
  );
}

function compiled(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch {
    throw isExpression(source)
      ? new RefusedCall(UNIMPLEMENTED, 'Lookarounds and backreferences in a regular expression are not implemented.')
      : new RefusedCall(UNKNOWN, 'The regular expression is invalid.');
  }
}

function isExpression(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}
