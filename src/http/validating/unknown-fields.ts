import { type FieldErrors, inWords, MAX_FIELD_ERRORS } from '../../kernel/validation-failed.js';
import { type Constructor, declaredFields, isIgnored, nestedType } from './dto.js';

/** A longer name is told to be unknown, and compared with none. */
const COMPARED_MAX = 64;
/** Names of up to so many characters may differ by one edit from the one that was meant, longer ones by two. */
const SHORT = 3;

type Found = [path: string, messages: readonly string[]];

/**
 * Returns messages, by path, for the fields of a body or query that its class does not declare (decisions, "Checks"), of
 * {@link MAX_FIELD_ERRORS} at most. A misspelt field would otherwise count as absent: `section` for `sections` is billed ten times the money.
 */
export function unknownFields(type: Constructor, sent: object): FieldErrors {
  const found: Found[] = [];
  addUnknown(found, type, sent, '');
  // An assignment would lose the message of a field named __proto__.
  return Object.fromEntries(found);
}

/** Returns a message for each field, of {@link MAX_FIELD_ERRORS} at most, of a body or query of a route that declares none. */
export function unexpectedFields(sent: object): FieldErrors {
  const names = Object.keys(sent).slice(0, MAX_FIELD_ERRORS);
  return Object.fromEntries(names.map((name) => [name, [messageFor('', name, [])]]));
}

function addUnknown(found: Found[], type: Constructor, sent: object, prefix: string): void {
  const known = declaredFields(type);
  for (const [name, value] of Object.entries(sent)) {
    if (found.length >= MAX_FIELD_ERRORS) return;
    if (isIgnored(type, name)) continue;
    const nested = nestedType(type, name);
    if (!known.has(name)) found.push([prefix + name, [messageFor(prefix, name, [...known.keys()])]]);
    else if (nested) addNested(found, nested.type(), value, prefix + name);
  }
}

function addNested(found: Found[], type: Constructor, value: unknown, path: string): void {
  if (Array.isArray(value))
    for (const [index, item] of value.entries()) {
      if (found.length >= MAX_FIELD_ERRORS) return;
      addNested(found, type, item, `${path}.${index}`);
    }
  else if (typeof value === 'object' && value !== null) addUnknown(found, type, value, `${path}.`);
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
