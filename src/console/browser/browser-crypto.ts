/**
 * SHA-256 and Ed25519 for docs/audit/audit.mjs in a browser. The browser's own functions return promises, which the program, reading
 * millions of hashes one after another, cannot wait for.
 */
import { hashes, verify } from '@noble/ed25519';
import { sha256 as hasher, sha512 } from '@noble/hashes/sha2.js';

hashes.sha512 = sha512;
const encoder = new TextEncoder();

/** Returns the hash of the parts, one after another. Texts are in UTF-8. */
export function sha256(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const hash = hasher.create();
  for (const part of parts) hash.update(typeof part === 'string' ? encoder.encode(part) : part);
  return hash.digest();
}

/** Returns whether the key made the signature over the text, by RFC 8032, as Node checks it. */
export function isSigned(key: Uint8Array, message: string, signature: Uint8Array): boolean {
  return verify(signature, encoder.encode(message), key, { zip215: false });
}
