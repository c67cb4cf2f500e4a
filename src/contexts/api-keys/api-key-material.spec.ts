import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { generateApiKey, hashApiKey, isWellFormed } from './api-key-material.js';

describe('an API key', () => {
  it('has the form that partners’ scanners are told of', () => {
    const [, documented = ''] = /`(rupa_key_\[[^`]+)`/.exec(readFileSync('docs/partners.md', 'utf8')) ?? [];
    for (let run = 0; run < 200; run += 1) {
      const key = generateApiKey();
      expect(key).toMatch(new RegExp(`^${documented}$`));
      expect(isWellFormed(key)).toBe(true);
    }
  });

  it('has the checksum that anybody can compute', () => {
    // zlib.crc32(b'rupa_key_' + b'0' * 43) of Python is 1394064573.
    expect(isWellFormed(`rupa_key_${'0'.repeat(43)}1WLLsT`)).toBe(true);
    expect(isWellFormed(`rupa_key_${'0'.repeat(43)}1WLLsU`)).toBe(false);
  });

  it('is told from one with any one character wrong, missing, doubled or swapped', () => {
    const wrong = fc.record({
      place: fc.nat(57),
      kind: fc.constantFrom('replace', 'drop', 'double', 'swap'),
      by: fc.constantFrom('0', 'a', 'Z', '_', '-', ' ', 'é'),
    });
    fc.assert(
      fc.property(wrong, ({ place, kind, by }) => {
        const key = generateApiKey();
        const [before, here = '', next = '', after] = [key.slice(0, place), key[place], key[place + 1], key.slice(place + 2)];
        const typed = {
          replace: before + by + next + after,
          drop: before + next + after,
          double: before + here + here + next + after,
          swap: before + next + here + after,
        }[kind];
        fc.pre(typed !== key);
        expect(isWellFormed(typed)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('of those issued before there were checksums is still one', () => {
    expect(isWellFormed('rupa_key_Zx3-_9mK0hQ2vB7nL5sD8fG1jW4eR6tY0uI2oP3aS5d')).toBe(true);
    expect(isWellFormed('rupa_key_')).toBe(false);
    expect(isWellFormed('')).toBe(false);
  });

  it('is known by its SHA-256', () => {
    expect(hashApiKey('rupa_key_x')).toMatch(/^[0-9a-f]{64}$/);
  });
});
