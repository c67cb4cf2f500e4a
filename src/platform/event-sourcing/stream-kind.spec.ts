import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { chainHash, GENESIS_HASH } from './stream-kind.js';

describe('the hash chain', () => {
  const data = { b: 1, a: { d: 'é', c: [1, 2] } };

  it('is the SHA-256 of previous hash, stream, revision, type and canonical data, one per line', () => {
    const text = `${GENESIS_HASH}\nwallet-1\n0\nWalletCredited\n{"a":{"c":[1,2],"d":"é"},"b":1}`;
    expect(chainHash(GENESIS_HASH, 'wallet-1', 0n, 'WalletCredited', data)).toBe(createHash('sha256').update(text).digest('hex'));
  });

  it('changes with each of its parts', () => {
    const hashes = [
      chainHash(GENESIS_HASH, 'wallet-1', 0n, 'A', data),
      chainHash('1'.repeat(64), 'wallet-1', 0n, 'A', data),
      chainHash(GENESIS_HASH, 'wallet-2', 0n, 'A', data),
      chainHash(GENESIS_HASH, 'wallet-1', 1n, 'A', data),
      chainHash(GENESIS_HASH, 'wallet-1', 0n, 'B', data),
      chainHash(GENESIS_HASH, 'wallet-1', 0n, 'A', { ...data, b: 2 }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
