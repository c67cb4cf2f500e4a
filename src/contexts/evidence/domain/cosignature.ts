import { verify } from 'node:crypto';
import { COSIGNATURE, parseVerifierKey, signatureIn, type VerifierKey } from './signed-note.js';

const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;
/** The last second of the year 9999, after which a time has no date in the form of RFC 3339. */
const LAST_SECOND = 253_402_300_799n;

/** A witness' signature under a checkpoint. */
export interface Cosignature {
  /** The line under the note, without a line feed. */
  readonly signature: string;
  /** When the witness says that it signed. */
  readonly at: string;
}

/** Parses the key of a witness; returns undefined if it is no verifier key of type 4 (https://c2sp.org/tlog-cosignature). */
export function parseWitnessKey(text: string): VerifierKey | undefined {
  return parseVerifierKey(text, COSIGNATURE);
}

/** Returns the cosignature in a line under a note; undefined unless it is one by this key, of this text. @param text that of the note */
export function cosignatureIn(line: string, text: string, key: VerifierKey): Cosignature | undefined {
  const bytes = signatureIn(line, key);
  if (bytes?.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined;
  const seconds = bytes.readBigUInt64BE();
  if (seconds === 0n || seconds > LAST_SECOND) return undefined;
  const message = Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`);
  if (!verify(null, message, key.publicKey, bytes.subarray(TIME_BYTES))) return undefined;
  return { signature: line, at: new Date(Number(seconds) * 1_000).toISOString() };
}
