import { createHash } from 'node:crypto';
import { isStorableText } from '../../kernel/storable.js';

/**
 * Bytes up to which an indexed column holds a text unchanged. PostgreSQL limits a row of an index to 2,704 bytes, and no index of a read
 * model has more than two texts. Text that deciders accept into an indexed column has at most 255 characters, which are 1,020 bytes.
 */
const MAX_INDEXED_BYTES = 1_024;
const MAX_BYTES_PER_UNIT = 3;
const PREFIX_UNITS = 200;
const REPLACEMENT = '\uFFFD';

/** Finds, in JSON that JSON.stringify wrote, an escaped NUL or half of a surrogate pair. It also finds the text `\u0000` itself. */
const MAYBE_UNSTORABLE = /\\u(?:0000|d[89a-f])/;

/** Returns the text with U+FFFD in place of each NUL and each half of a surrogate pair, which PostgreSQL cannot store. */
export function storableText(text: string): string {
  return isStorableText(text) ? text : text.toWellFormed().replaceAll('\0', REPLACEMENT);
}

/**
 * Returns a text that fits into an index: the same text, or its beginning with its SHA-256 if it is too long or cannot be stored. The result
 * differs for different texts, and is returned unchanged when it is passed in again.
 */
export function indexableText(text: string): string {
  const isShort = text.length * MAX_BYTES_PER_UNIT <= MAX_INDEXED_BYTES || Buffer.byteLength(text) <= MAX_INDEXED_BYTES;
  if (isShort && isStorableText(text)) return text;
  // UTF-8 has the same bytes for every half of a surrogate pair.
  const hash = createHash('sha256').update(text, text.isWellFormed() ? 'utf8' : 'utf16le');
  return `${storableText(text.slice(0, PREFIX_UNITS))}… sha256:${hash.digest('hex')}`;
}

/** Returns the value as JSON that PostgreSQL can store, with the replacements of {@link storableText} in texts and in the keys of objects. */
export function storableJson(value: unknown): string {
  const json = JSON.stringify(value);
  return MAYBE_UNSTORABLE.test(json) ? JSON.stringify(replaced(value)) : json;
}

function replaced(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(replaced);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storableText(key), replaced(item)]));
}
