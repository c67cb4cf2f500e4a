import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { generateApiKey, hashApiKey, isWellFormed, routedPrefixOf, ROUTED_LENGTH, shownOf } from './api-key-material.js';

describe('an API key', () => {
  it('has the form that docs/partners/getting-started.md documents for secret scanners', () => {
    const [, documented = ''] = /`(rupa_key_\[[^`]+)`/.exec(readFileSync('docs/partners/getting-started.md', 'utf8')) ?? [];
    for (let run = 0; run < 200; run += 1) {
      const key = generateApiKey('p1');
      expect(key).toMatch(new RegExp(`^${documented}$`));
      expect(isWellFormed(key)).toBe(true);
    }
  });

  it('begins like the other keys of its partner, as far as the balancer looks, and unlike those of others', () => {
    const begin = (partnerId: string | null): string => generateApiKey(partnerId).slice(0, ROUTED_LENGTH);
    const partners = fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(partners, (ids) => {
        expect(ids.map(begin)).toStrictEqual(ids.map(begin));
        expect(new Set(ids.map(begin)).size).toBe(ids.length);
      }),
    );
    expect(new Set(Array.from({ length: 50 }, () => begin(null))).size).toBe(50);
    expect(readFileSync('ops/haproxy/haproxy.cfg', 'utf8')).toContain(`balance hash req.hdr(X-API-KEY),bytes(0,${ROUTED_LENGTH})`);
  });

  it('is shown by its beginning, which is the one of its partner, and its last four characters', () => {
    const key = generateApiKey('p1');
    expect(shownOf(key)).toStrictEqual({ prefix: routedPrefixOf('p1'), last_four: key.slice(54) });
    expect(key.startsWith(routedPrefixOf('p1'))).toBe(true);
  });

  it('shares nothing else with the other keys of its partner', () => {
    const rests = Array.from({ length: 50 }, () => generateApiKey('p1').slice(ROUTED_LENGTH, -6));
    for (let at = 0; at < 37; at += 1) expect(new Set(rests.map((rest) => rest[at])).size).toBeGreaterThan(10);
  });

  it('ends in a CRC-32 checksum in base 62', () => {
    // zlib.crc32(b'rupa_key_' + b'0' * 43) of Python is 1394064573.
    expect(isWellFormed(`rupa_key_${'0'.repeat(43)}1WLLsT`)).toBe(true);
    expect(isWellFormed(`rupa_key_${'0'.repeat(43)}1WLLsU`)).toBe(false);
  });

  it('is not well-formed after one character was replaced, dropped, doubled or swapped', () => {
    const typos = fc.record({
      position: fc.nat(57),
      kind: fc.constantFrom('replace', 'drop', 'double', 'swap'),
      by: fc.constantFrom('0', 'a', 'Z', '_', '-', ' ', 'é'),
    });
    fc.assert(
      fc.property(typos, ({ position, kind, by }) => {
        const key = generateApiKey('p1');
        const [before, here = '', next = '', after] = [key.slice(0, position), key[position], key[position + 1], key.slice(position + 2)];
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

  it('is well-formed without a checksum if it has the form of older keys', () => {
    expect(isWellFormed('rupa_key_Zx3-_9mK0hQ2vB7nL5sD8fG1jW4eR6tY0uI2oP3aS5d')).toBe(true);
    expect(isWellFormed('rupa_key_')).toBe(false);
    expect(isWellFormed('')).toBe(false);
  });

  it('is stored as its SHA-256 hash', () => {
    expect(hashApiKey('rupa_key_x')).toMatch(/^[0-9a-f]{64}$/);
  });
});
