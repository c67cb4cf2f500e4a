import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { GrowingMap } from './growing-map.js';

type Step = { readonly of: number } & ({ readonly add: string; readonly value: number } | { readonly remove: readonly string[] });

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ of: fc.nat(), add: key, value: fc.nat() }),
  fc.record({ of: fc.nat(), remove: fc.array(key, { maxLength: 3 }) }),
);

describe('a growing map', () => {
  it('holds what a copied map holds, also after others were made from it', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const maps = [{ made: GrowingMap.of<string, number>([]), expected: new Map<string, number>() }];
        for (const next of steps) {
          const from = maps[next.of % 2 === 0 ? maps.length - 1 : next.of % maps.length];
          if (!from) continue;
          const expected = new Map(from.expected);
          if ('add' in next) maps.push({ made: from.made.with(next.add, next.value), expected: expected.set(next.add, next.value) });
          else {
            for (const removed of next.remove) expected.delete(removed);
            maps.push({ made: from.made.without(next.remove), expected });
          }
        }
        for (const { made, expected } of maps) {
          expect([...made]).toStrictEqual([...expected]);
          expect([...made.keys()]).toStrictEqual([...expected.keys()]);
          expect([...made.values()]).toStrictEqual([...expected.values()]);
          expect(made.size).toBe(expected.size);
          for (const name of ['a', 'b', 'c', 'd', 'e', 'f'])
            expect([made.has(name), made.get(name)]).toStrictEqual([expected.has(name), expected.get(name)]);
        }
      }),
    );
  });
});
