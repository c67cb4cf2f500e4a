import { InexactNumber } from './json.js';
import { MAX_KOBO, toNaira } from './money.js';
import { MAX_FIELD_ERRORS, sentenceOf } from './validation-failed.js';

const MAX_DEPTH = 32;
/** The largest number of which any hundredth is exact. */
const MAX_NUMBER = toNaira(MAX_KOBO);

/**
 * Finds values that the stores cannot represent, and returns validation messages by path (decisions, "Checks"), of {@link MAX_FIELD_ERRORS} at
 * most.
 */
export function unstorable(value: unknown): Record<string, string[]> {
  const found: Problem[] = [];
  addProblems(found, value, '', 0);
  // Object.assign would lose the messages of a field named __proto__.
  return Object.fromEntries(found);
}

type Problem = [path: string, messages: string[]];

function addProblems(found: Problem[], value: unknown, path: string, depth: number): void {
  const name = path === '' ? 'body' : path;
  const add = (problem: string): void => {
    found.push([name, [sentenceOf(name, problem)]]);
  };
  if (typeof value === 'string') {
    if (!isStorableText(value)) add('must be well-formed text without NUL');
  } else if (value instanceof InexactNumber || typeof value === 'number') {
    if (!(Math.abs(Number(value)) <= MAX_NUMBER)) add('is too large a number');
    else if (typeof value !== 'number') add('must have at most 15 significant digits');
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= MAX_DEPTH) add(`is nested deeper than ${MAX_DEPTH} levels`);
    else
      for (const [key, item] of Object.entries(value)) {
        if (found.length >= MAX_FIELD_ERRORS) return;
        if (isStorableText(key)) addProblems(found, item, path === '' ? key : `${path}.${key}`, depth + 1);
        else add('has a key that is not well-formed text');
      }
  }
}

/** The largest number of characters in a text, unless its field says otherwise. */
export const MAX_TEXT = 255;

/** Returns whether a text has more characters. One outside the basic plane takes two UTF-16 units and counts once. */
export function isLonger(text: string, max: number): boolean {
  return text.length > max && Array.from(text).length > max;
}

/** Returns whether the stores can represent the text as it is. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}
