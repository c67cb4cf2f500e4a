/** Hexadecimal digits of an id that depend on the key. 52 bits are as many as a number holds exactly. */
const KEY_DIGITS = 13;
const KEYED_VERSION = '8';
const VERSION_AT = 14;
/** The version and the digits of the key: two ids of one key begin with the same 16 characters. */
const PREFIX_LENGTH = 16;

/**
 * Returns a UUID (version 8) of which the first 52 bits come from the hash and the rest from a random UUID. Two ids of the same key share
 * the first ones, so that the log of charges tells which keys were used.
 * @param hash lower-case hexadecimal digits, 13 or more
 * @param random a UUID of version 4
 */
export function keyedId(hash: string, random: string): string {
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-${KEYED_VERSION}${hash.slice(12, KEY_DIGITS)}${random.slice(PREFIX_LENGTH)}`;
}

/** The last digits of the id of a call with a list. No item's id ends like it. */
const LIST_ENDING = 'ff';

/** Returns the id that a call with a list has instead of `id`. */
export function listId(id: string): string {
  return `${id.slice(0, -LIST_ENDING.length)}${LIST_ENDING}`;
}

/**
 * Returns the id of an item of a call with a list. It follows from the call's id, so that a process that knows the call knows its items.
 * @param index number of the item, from 0 to 254
 */
export function idOfItem(callId: string, index: number): string {
  return `${callId.slice(0, -LIST_ENDING.length)}${index.toString(16).padStart(LIST_ENDING.length, '0')}`;
}

/** Returns the number that all ids of a key have in common; undefined for an id that belongs to no key. */
export function keyOf(id: string): number | undefined {
  if (id[VERSION_AT] !== KEYED_VERSION) return undefined;
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13) + id.slice(VERSION_AT + 1, PREFIX_LENGTH), 16);
}

/** Returns whether two ids belong to the same key, or are the same. */
export function areOfOneKey(id: string, other: string): boolean {
  return id === other || (id[VERSION_AT] === KEYED_VERSION && id.startsWith(other.slice(0, PREFIX_LENGTH)));
}
