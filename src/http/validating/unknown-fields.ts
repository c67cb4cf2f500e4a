import { type FieldErrors, inWords } from '../../kernel/validation-failed.js';
import { type Constructor, declaredFields, isIgnored, nestedType } from './dto.js';

/** A longer name is told to be unknown, and compared with none. */
const COMPARED_MAX = 64;
/** Names of up to so many characters may differ by one edit from the one that was meant, longer ones by two. */
const SHORT = 3;

type Found = [path: string, messages: readonly string[]];

/**
 * Returns messages, by path, for the fields of a body or query that its class does not declare (decisions, "Checks"). A misspelt field would
 * otherwise count as absent: `section` for `sections` is billed ten times the money.
 */
export function unknownFields(type: Constructor, sent: object, prefix = ''): FieldErrors {
  const known = declaredFields(type);
  const found = Object.entries(sent as Record<string, unknown>).flatMap(([name, value]): Found[] => {
    if (isIgnored(type, name)) return [];
    if (!known.has(name)) return [[prefix + name, [messageFor(prefix, name, [...known.keys()])]]];
    const nested = nestedType(type, name);
    return nested ? inNested(nested.type(), value, prefix + name) : [];
  });
  // An assignment would lose the message of a field named __proto__.
  return Object.fromEntries(found);
}

/** Returns a message for each field of a body or query of a route that declares none. */
export function unexpectedFields(sent: object): FieldErrors {
  return Object.fromEntries(Object.keys(sent).map((name) => [name, [messageFor('', name, [])]]));
}

function inNested(type: Constructor, value: unknown, path: string): Found[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown, index) => inNested(type, item, `${path}.${index}`));
  return typeof value === 'object' && value !== null ? Object.entries(unknownFields(type, value, `${path}.`)) : [];
}

function messageFor(prefix: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return `The ${inWords(prefix + name)} field is not known.${meant === undefined ? '' : ` Did you mean ${prefix}${meant}?`}`;
}

/** Returns the nearest of the names, the first of equally near ones; undefined if none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > COMPARED_MAX) return undefined;
  const most = name.length <= SHORT ? 1 : 2;
  const byDistance = known.map((other) => ({ other, edits: editsBetween(name, other, most) })).filter(({ edits }) => edits <= most);
  return byDistance.sort((one, other) => one.edits - other.edits)[0]?.other;
}

/** Returns the Levenshtein distance, or a larger number than `most`. */
function editsBetween(one: string, other: string, most: number): number {
  if (Math.abs(one.length - other.length) > most) return most + 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const replaced = (row[to - 1] ?? 0) + (one[at - 1] === other[to - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[to] ?? 0) + 1, (next[to - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
