import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { keyedId, keyOf } from '../../../kernel/keyed-id.js';
import { addKeys, hasKey, NO_KEYS, oldestUse, type SettledKeys } from './settled-keys.js';

const BEGIN = Date.parse('2026-11-21T10:00:00.000Z');
const at = (minute: number): string => new Date(BEGIN + minute * 60_000).toISOString();
const lookup = (key: number): string => keyedId(key.toString(16).padStart(13, '0'), '0d9cbb1e-0000-4000-8000-000000000000');
const numberOf = (key: number): number => keyOf(lookup(key)) ?? NaN;
const DAY = 24 * 60 - 10;

/** Settlements of keyed lookups, of few keys, so that keys repeat. */
const settlements = fc.array(
  fc.record({ after: fc.integer({ min: 0, max: 60 }), keys: fc.array(fc.integer({ min: 0, max: 1_500 }), { maxLength: 64 }) }),
  { minLength: 1, maxLength: 60 },
);

describe('the keys of settled charges', () => {
  it('are known for a day after the last use, however many there are', () => {
    fc.assert(
      fc.property(settlements, (list) => {
        let known: SettledKeys = NO_KEYS;
        let minute = 0;
        const uses = new Map<number, number>();
        for (const { after, keys } of list) {
          minute += after;
          known = addKeys(known, keys.map(lookup), at(minute));
          for (const key of keys) uses.set(key, minute);
        }
        for (let key = 0; key <= 1_500; key += 7) {
          const used = uses.get(key);
          expect(hasKey(known, numberOf(key), at(minute))).toBe(used !== undefined && used > minute - DAY);
        }
      }),
    );
  });

  it('end with the day', () => {
    const known = addKeys(NO_KEYS, [lookup(1)], at(0));
    expect([hasKey(known, numberOf(1), at(DAY - 1)), hasKey(known, numberOf(1), at(DAY))]).toStrictEqual([true, false]);
    expect(oldestUse(at(DAY))).toBe(at(0));
  });

  it('are few runs, and earlier values stay as they are', () => {
    let known: SettledKeys = NO_KEYS;
    const before = addKeys(known, [lookup(1)], at(0));
    for (let each = 2; each < 20_000; each += 64)
      known = addKeys(
        each === 2 ? before : known,
        Array.from({ length: 64 }, (_, index) => lookup(each + index)),
        at(0),
      );
    expect(known.runs.length).toBeLessThan(16);
    expect([hasKey(before, numberOf(1), at(0)), hasKey(before, numberOf(2), at(0))]).toStrictEqual([true, false]);
    expect([1, 2, 9_999, 19_000].every((key) => hasKey(known, numberOf(key), at(0)))).toBe(true);
  });

  it('are none of lookups without a key', () => {
    expect(addKeys(NO_KEYS, ['0d9cbb1e-0000-4000-8000-000000000000', 'l1'], at(0))).toBe(NO_KEYS);
  });
});
