import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'rupa_key_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Base-62 digits: the 37 random ones have 220 bits, and 6 hold the 32 bits of the checksum. */
const LENGTH = { tag: 6, random: 37, checksum: 6 };
const KEY = /^rupa_key_[0-9A-Za-z]{49}$/;
/** The form of keys that were issued before keys had a checksum. */
const KEY_WITHOUT_CHECKSUM = /^rupa_key_[\w-]{43}$/;

/**
 * Returns a new key: a prefix that secret scanners recognise, a tag, 220 random bits and a checksum. All keys of a partner have the same
 * tag, so a load balancer that hashes the first {@link ROUTED_LENGTH} characters sends the calls of a partner to one API, whichever of its
 * keys they carry. The tag of a key without a partner is random.
 */
export function generateApiKey(partnerId: string | null): string {
  const tagged = partnerId === null ? randomBytes(32) : hash('sha256', partnerId, 'buffer');
  const body = PREFIX + digits(tagged, LENGTH.tag) + digits(randomBytes(64), LENGTH.random);
  return body + checksum(body);
}

/** Number of characters with which all keys of a partner begin. Load balancers are configured with it (ops/haproxy/haproxy.cfg). */
export const ROUTED_LENGTH = PREFIX.length + LENGTH.tag;

/** Returns what the keys of a partner begin with, unless they were issued before keys had a tag, or before they were linked to the partner. */
export function routedPrefixOf(partnerId: string): string {
  return PREFIX + digits(hash('sha256', partnerId, 'buffer'), LENGTH.tag);
}

/** Returns what lists show of a key, by which its holder tells it from others. */
export function shownOf(key: string): { readonly prefix: string; readonly last_four: string } {
  return { prefix: key.slice(0, ROUTED_LENGTH), last_four: key.slice(-4) };
}

/** Returns whether the text has the form of a key. A mistyped or truncated key is reported as malformed without a query. */
export function isWellFormed(key: string): boolean {
  if (KEY.test(key)) return key.endsWith(checksum(key.slice(0, -LENGTH.checksum)));
  return KEY_WITHOUT_CHECKSUM.test(key);
}

/** Returns the key's SHA-256 in hex. Keys are random, so they need no slow hash, and looking the hash up in an index leaks no timing. */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}

/** Returns the CRC-32 of the body in base 62. It detects mistakes, not forgeries. */
function checksum(body: string): string {
  let [text, rest] = ['', crc32(body)];
  for (let digit = 0; digit < LENGTH.checksum; digit += 1) [text, rest] = [(DIGITS[rest % 62] ?? '') + text, Math.floor(rest / 62)];
  return text;
}

/** Returns base-62 digits of the bytes. The bytes have many more bits than the digits, so every digit is equally likely. */
function digits(bytes: Buffer, length: number): string {
  let [text, rest] = ['', BigInt(`0x${bytes.toString('hex')}`)];
  for (let digit = 0; digit < length; digit += 1) [text, rest] = [(DIGITS[Number(rest % 62n)] ?? '') + text, rest / 62n];
  return text;
}
