import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'rupa_key_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** Base-62 digits: 43 hold 256 random bits, and 6 hold the 32 bits of the checksum. */
const LENGTH = { entropy: 43, checksum: 6 };
const KEY = /^rupa_key_[0-9A-Za-z]{49}$/;
/** The form of keys that were issued before keys had a checksum. */
const KEY_WITHOUT_CHECKSUM = /^rupa_key_[\w-]{43}$/;

/** Returns a new key: a prefix that secret scanners recognise, 256 random bits and a checksum. */
export function generateApiKey(): string {
  const body = PREFIX + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), LENGTH.entropy);
  return body + checksum(body);
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

function base62(value: bigint, length: number): string {
  let [text, rest] = ['', value];
  while (rest > 0n) [text, rest] = [(DIGITS[Number(rest % 62n)] ?? '') + text, rest / 62n];
  return text.padStart(length, '0');
}
