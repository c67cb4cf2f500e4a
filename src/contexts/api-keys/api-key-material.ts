import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const PREFIX = 'rupa_key_';
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^43 is more than 2^256, and 62^6 more than 2^32. */
const LENGTH = { entropy: 43, checksum: 6 };
const KEY = /^rupa_key_[0-9A-Za-z]{49}$/;
/** Those that were issued before keys had a checksum. */
const OLD_KEY = /^rupa_key_[\w-]{43}$/;

/** A new key: a prefix that scanners recognise, 256 random bits and a checksum. It is shown once; only its hash is kept. */
export function generateApiKey(): string {
  const body = PREFIX + base62(BigInt(`0x${randomBytes(32).toString('hex')}`), LENGTH.entropy);
  return body + checksum(body);
}

/** Whether it could be a key at all: one that was mistyped or cut off is told from an unknown one, and nobody has to look for it. */
export function isWellFormed(key: string): boolean {
  if (KEY.test(key)) return key.endsWith(checksum(key.slice(0, -LENGTH.checksum)));
  return OLD_KEY.test(key);
}

/** SHA-256, hex: enough for what is random itself, and equal keys meet in an index, not in a comparison that takes time. */
export function hashApiKey(key: string): string {
  return hash('sha256', key);
}

/** CRC-32 of all before it: guards against mistakes, not against anybody who wants to make one up. */
function checksum(body: string): string {
  let [text, rest] = ['', crc32(body)];
  for (let place = 0; place < LENGTH.checksum; place += 1) [text, rest] = [(DIGITS[rest % 62] ?? '') + text, Math.floor(rest / 62)];
  return text;
}

function base62(value: bigint, length: number): string {
  let [text, rest] = ['', value];
  while (rest > 0n) [text, rest] = [(DIGITS[Number(rest % 62n)] ?? '') + text, rest / 62n];
  return text.padStart(length, '0');
}
