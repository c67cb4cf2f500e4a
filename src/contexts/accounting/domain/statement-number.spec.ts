import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Month, monthOf } from './month.js';
import { statementNumber } from './statement-number.js';

const month = (name: string): Month => monthOf(name) ?? { name, from: '', until: '' };

describe('the number of a statement', () => {
  it.each([
    ['2026-03', 'p1-2026-03-0001'],
    ['2026-04', 'p1-2026-04-0002'],
    ['2027-03', 'p1-2027-03-0013'],
    ['2026-02', undefined],
    ['2025-03', undefined],
  ])('of %s is %s for a partner that began in March 2026', (name, expected) => {
    for (const begun of ['2026-03-01T00:00:00.000Z', '2026-03-31T23:59:59.999Z'])
      expect(statementNumber('p1', month(name), begun)).toBe(expected);
  });

  it('rises by one from each month to the next', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: 0, max: 1_000 }), (first, after) => {
        const named = (months: number) => new Date(Date.UTC(2020, months, 1)).toISOString();
        const sequence = (months: number) =>
          Number(
            statementNumber('p', month(named(months).slice(0, 7)), named(first))
              ?.split('-')
              .at(-1),
          );
        expect(sequence(first + after)).toBe(after + 1);
      }),
    );
  });
});
