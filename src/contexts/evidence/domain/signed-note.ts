import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';

/** Signature types in keys of signed notes (https://c2sp.org/signed-note): a signature of the text, and a dated one of a witness. */
const ED25519 = 1;
export const COSIGNATURE = 4;
const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
/** DER of an Ed25519 key before its 32 bytes (RFC 8410). */
const PUBLIC_DER = Buffer.from('302a300506032b6570032100', 'hex');
const PRIVATE_DER = Buffer.from('302e020100300506032b657004220420', 'hex');
const VERIFIER_KEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;

export interface VerifierKey {
  readonly name: string;
  /** The first four bytes of the hash of name and key, in hex. */
  readonly id: string;
  readonly publicKey: KeyObject;
}

/** Returns `name+id+base64(type || key)`, the form in which verifier keys of signed notes are published. @param publicKey 32 bytes */
export function verifierKeyText(name: string, publicKey: Buffer, type = ED25519): string {
  const typed = Buffer.concat([Buffer.of(type), publicKey]);
  return `${name}+${keyId(name, typed).toString('hex')}+${typed.toString('base64')}`;
}

/** Parses a verifier key. Returns undefined if it is malformed, has another type, or if its id does not belong to name and key. */
export function parseVerifierKey(text: string, type = ED25519): VerifierKey | undefined {
  const [, name = '', id = '', encoded = ''] = VERIFIER_KEY.exec(text.trim()) ?? [];
  const typed = Buffer.from(encoded, 'base64');
  if (typed.length !== KEY_BYTES + 1 || typed[0] !== type || keyId(name, typed).toString('hex') !== id) return undefined;
  const publicKey = createPublicKey({ key: Buffer.concat([PUBLIC_DER, typed.subarray(1)]), format: 'der', type: 'spki' });
  return { name, id, publicKey };
}

/** Signs with the private key (32 bytes, the seed of RFC 8032). */
export class NoteSigner {
  readonly publicKey: Buffer;
  private readonly privateKey: KeyObject;

  constructor(
    readonly name: string,
    seed: Buffer,
  ) {
    this.privateKey = createPrivateKey({ key: Buffer.concat([PRIVATE_DER, seed]), format: 'der', type: 'pkcs8' });
    this.publicKey = createPublicKey(this.privateKey).export({ format: 'der', type: 'spki' }).subarray(PUBLIC_DER.length);
  }

  get verifierKey(): string {
    return verifierKeyText(this.name, this.publicKey);
  }

  /** Returns the signed note. @param text lines, the last one with a line feed, too */
  sign(text: string): string {
    const id = keyId(this.name, Buffer.concat([Buffer.of(ED25519), this.publicKey]));
    const signature = Buffer.concat([id, sign(null, Buffer.from(text), this.privateKey)]);
    return `${text}\n— ${this.name} ${signature.toString('base64')}\n`;
  }
}

/** Returns the text of a note that one of the keys has signed; undefined if none has, or the note is malformed. */
export function openNote(note: string, keys: readonly VerifierKey[]): string | undefined {
  const { text, lines } = noteParts(note) ?? {};
  return text !== undefined && lines?.some((line) => keys.some((key) => isSignature(line, text, key))) ? text : undefined;
}

/** Splits a note into its text and its lines of signatures, which are not verified. Returns undefined if the note is malformed. */
export function noteParts(note: string): { readonly text: string; readonly lines: readonly string[] } | undefined {
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n')) return undefined;
  return { text: note.slice(0, end + 1), lines: note.slice(end + 2, -1).split('\n') };
}

/** Returns the bytes after the key id in a line that names the key; undefined for any other line. */
export function signatureIn(line: string, { name, id }: VerifierKey): Buffer | undefined {
  const [dash, signer, encoded = '', ...rest] = line.split(' ');
  const signature = Buffer.from(encoded, 'base64');
  if (dash !== '—' || signer !== name || rest.length > 0 || signature.toString('base64') !== encoded) return undefined;
  return signature.subarray(0, KEY_ID_BYTES).toString('hex') === id ? signature.subarray(KEY_ID_BYTES) : undefined;
}

function isSignature(line: string, text: string, key: VerifierKey): boolean {
  const signature = signatureIn(line, key);
  return signature !== undefined && verify(null, Buffer.from(text), key.publicKey, signature);
}

function keyId(name: string, typed: Buffer): Buffer {
  return hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), typed]), 'buffer').subarray(0, KEY_ID_BYTES);
}
