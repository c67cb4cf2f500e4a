import { describe, expect, it } from '@jest/globals';
import { logLeaf } from './log-leaf.js';

const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const event = {
  stream: 'wallet-0f9a3c1e-52a4-4f6e-8d0e-2f0f7c3b9a11',
  revision: 17n,
  type: 'WalletCredited',
  id: '5C7E1B9A-0D6E-4A57-9E6B-0C1D2E3F4A5B',
  data: Buffer.from('abc'),
  metadata: Buffer.alloc(0),
};

describe('a leaf of the log', () => {
  it('is five lines: stream, revision, type, id, and the hashes of the bytes of data and metadata', () => {
    const lines = [
      'wallet-0f9a3c1e-52a4-4f6e-8d0e-2f0f7c3b9a11',
      '17',
      'WalletCredited',
      '5c7e1b9a-0d6e-4a57-9e6b-0c1d2e3f4a5b',
      `ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad ${EMPTY}`,
    ];
    expect(logLeaf(event)).toBe(lines.join('\n'));
  });

  it('has names as JSON writes them, so that one with a line feed cannot move the lines', () => {
    const leaf = logLeaf({ ...event, stream: 'a"\n\\1\u0001é', type: '\t' });
    expect(leaf.split('\n')).toHaveLength(5);
    expect(leaf.split('\n').slice(0, 3)).toStrictEqual(['a\\"\\n\\\\1\\u0001é', '17', '\\t']);
  });
});
