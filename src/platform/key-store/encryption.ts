import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const PREFIX = 'v1:';
/** Base64 of an IV and a tag without a text. */
const CIPHERTEXT_CHARACTERS_MIN = Math.ceil(((IV_BYTES + TAG_BYTES) * 4) / 3);
const IVS_PER_DRAW = 1_024;

let ivs = Buffer.alloc(0);

/** A ciphertext was changed, or moved to another row, or its key is not here: what is stored in the database cannot be used. */
export class CiphertextUnusable extends Error {
  override name = 'CiphertextUnusable';
}

/**
 * Encrypts with AES-256-GCM. Returns `v1:` and the base64 of IV, tag and ciphertext.
 * @param key a KeyObject, because creating one from bytes for every call would take longer than the encryption
 * @param binding additional authenticated data: decryption fails with any other binding
 */
export function encrypt(key: KeyObject, text: string | Buffer, binding: string): string {
  const iv = nextIv();
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(binding));
  const encrypted = Buffer.concat([cipher.update(typeof text === 'string' ? Buffer.from(text) : text), cipher.final()]);
  return PREFIX + Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64');
}

/** Returns whether the text has the form of an output of {@link encrypt}. */
export function isCiphertext(text: string): boolean {
  return text.startsWith(PREFIX) && text.length >= PREFIX.length + CIPHERTEXT_CHARACTERS_MIN;
}

/** Decrypts the output of {@link encrypt}. @throws CiphertextUnusable if the key or the binding differs, or the text was changed */
export function decrypt(key: KeyObject, encrypted: string, binding: string): Buffer {
  if (!encrypted.startsWith(PREFIX))
    throw new CiphertextUnusable(`The encrypted text does not begin with "${PREFIX}": its version is unknown.`);
  try {
    return opened(key, encrypted, binding);
  } catch (error) {
    throw new CiphertextUnusable('The encrypted text was changed, or was encrypted with another key, or for another row.', {
      cause: error,
    });
  }
}

/** @throws Error of the cipher */
function opened(key: KeyObject, encrypted: string, binding: string): Buffer {
  const bytes = Buffer.from(encrypted.slice(PREFIX.length), 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(binding));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
  // In GCM, final() returns no more bytes. It throws if the authentication tag does not match.
  decipher.final();
  return text;
}

/** Returns a fresh random IV. They are drawn in blocks, because drawing a single one takes longer than the encryption. */
function nextIv(): Buffer {
  if (ivs.length === 0) ivs = randomBytes(IV_BYTES * IVS_PER_DRAW);
  const iv = ivs.subarray(0, IV_BYTES);
  ivs = ivs.subarray(IV_BYTES);
  return iv;
}
