import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'rupa_key_';

/** A new key: a prefix that scanners recognise and 256 random bits. It is shown once; only its hash is kept. */
export function generateApiKey(): string {
  return PREFIX + randomBytes(32).toString('base64url');
}

/** SHA-256, hex: enough for what is random itself, and equal keys meet in an index, not in a comparison that takes time. */
export function hashApiKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}
