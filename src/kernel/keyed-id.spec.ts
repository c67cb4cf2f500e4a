import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { areOfOneKey, keyedId, keyOf } from './keyed-id.js';

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const UUID_8 = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const random = fc.uuid({ version: 4 });

describe('an id with a key', () => {
  it('is a UUID of version 8, and shows its key', () => {
    fc.assert(
      fc.property(hash, random, (digits, uuid) => {
        const id = keyedId(digits, uuid);
        expect(id).toMatch(UUID_8);
        expect(keyOf(id)).toBe(Number.parseInt(digits.slice(0, 13), 16));
      }),
    );
  });

  it('is of one key with the ids that begin alike, and with no others', () => {
    fc.assert(
      fc.property(hash, hash, random, random, (one, other, first, second) => {
        expect(areOfOneKey(keyedId(one, first), keyedId(one, second))).toBe(true);
        expect(areOfOneKey(keyedId(one, first), keyedId(other, second))).toBe(one.slice(0, 13) === other.slice(0, 13));
      }),
    );
  });

  it('is told from a random id, which has no key', () => {
    fc.assert(
      fc.property(random, (uuid) => {
        expect(keyOf(uuid)).toBeUndefined();
      }),
    );
  });
});
