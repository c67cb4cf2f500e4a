import { hash } from 'node:crypto';
import { canonicalize } from 'json-canonicalize';

/** The hash before the first event of a chained stream. */
export const GENESIS_HASH = '0'.repeat(64);

/** SHA-256 (hex) over the previous hash, stream, revision, type and the RFC 8785 form of the data, one a line. */
export function chainHash(previousHash: string, stream: string, revision: bigint, type: string, data: object): string {
  return hash('sha256', `${previousHash}\n${stream}\n${revision}\n${type}\n${canonicalize(data)}`);
}
