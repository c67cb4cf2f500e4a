import { InexactNumber } from './json.js';
import { MAX_KOBO, toNaira } from './money.js';
import { inWords } from './validation-failed.js';

const MAX_DEPTH = 32;
/** The largest number of which any hundredth is exact. */
const MAX_NUMBER = toNaira(MAX_KOBO);

/** Finds values that the stores cannot represent, and returns validation messages by path (decisions, "Checks"). */
export function unstorable(value: unknown, path = '', depth = 0): Record<string, string[]> {
  const name = path === '' ? 'body' : path;
  if (typeof value === 'string')
    return isStorableText(value) ? {} : { [name]: [`The ${inWords(name)} field must be well-formed text without NUL.`] };
  if (value instanceof InexactNumber || typeof value === 'number') {
    if (!(Math.abs(Number(value)) <= MAX_NUMBER)) return { [name]: [`The ${inWords(name)} field is too large a number.`] };
    return typeof value === 'number' ? {} : { [name]: [`The ${inWords(name)} field must have at most 15 significant digits.`] };
  }
  if (typeof value !== 'object' || value === null) return {};
  if (depth >= MAX_DEPTH) return { [name]: [`The ${inWords(name)} field is nested deeper than ${MAX_DEPTH} levels.`] };
  const found = Object.entries(value).flatMap(([key, item]) => {
    const at = path === '' ? key : `${path}.${key}`;
    const messages = isStorableText(key)
      ? unstorable(item, at, depth + 1)
      : { [name]: [`The ${inWords(name)} field has a key that is not well-formed text.`] };
    return Object.entries(messages);
  });
  // Object.assign would lose the messages of a field named __proto__.
  return Object.fromEntries(found);
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
