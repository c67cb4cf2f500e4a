import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const PREFIX = 'v1:';
const IVS_DRAWN_AT_ONCE = 1_024;

let ivs = Buffer.alloc(0);

/**
 * AES-256-GCM; `binding` is authenticated with the text, so that it opens nowhere else. Answers `v1:` + base64 of iv, tag and ciphertext.
 * @param key as an object: made of bytes on every call it would cost more than the encrypting.
 */
export function encrypt(key: KeyObject, text: string | Buffer, binding: string): string {
  const iv = nextIv();
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(binding));
  const encrypted = Buffer.concat([cipher.update(typeof text === 'string' ? Buffer.from(text) : text), cipher.final()]);
  return PREFIX + Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64');
}

/** @throws Error where key, binding or bytes are not the ones it was encrypted with. */
export function decrypt(key: KeyObject, encrypted: string, binding: string): Buffer {
  if (!encrypted.startsWith(PREFIX)) throw new Error('Encrypted text of an unknown version.');
  const bytes = Buffer.from(encrypted.slice(PREFIX.length), 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES)).setAAD(Buffer.from(binding));
  decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES));
  // In this mode nothing is left over: it only says whether what came before is true.
  decipher.final();
  return text;
}

/** Each is given out once; drawing them one by one costs more than the encrypting. */
function nextIv(): Buffer {
  if (ivs.length === 0) ivs = randomBytes(IV_BYTES * IVS_DRAWN_AT_ONCE);
  const iv = ivs.subarray(0, IV_BYTES);
  ivs = ivs.subarray(IV_BYTES);
  return iv;
}
