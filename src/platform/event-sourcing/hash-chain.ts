import { hash } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';

/** Previous hash of the first event of a chained stream. */
export const GENESIS_HASH = '0'.repeat(64);

/** Returns the SHA-256, in hex, of the previous hash, stream, revision, type and canonical JSON (RFC 8785) of the data, one per line. */
export function chainHash(previousHash: string, stream: string, revision: bigint, type: string, data: object): string {
  return hash('sha256', `${previousHash}\n${stream}\n${revision}\n${type}\n${canonicalize(data)}`);
}
