import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatNaira } from '../../kernel/money.js';
import { replayLine } from './replay.js';

const cells = fc.record({
  revision: fc.nat(99_999_999).map(String),
  time: fc.constant('2026-03-09T14:30:00.000Z'),
  type: fc.constantFrom('WalletCredited', 'LookupCompensated'),
  amount: fc.integer({ min: -999_999_999, max: 999_999_999 }).map(formatNaira),
  balance: fc.nat(9_999_999_999).map(formatNaira),
  what: fc.string({ unit: fc.constantFrom('a', 'é', '👩', '-', ' '), minLength: 1, maxLength: 300 }),
});
const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);
const lengthOf = (line: string): number => Array.from(line).length;

describe('an entry of a replayed wallet', () => {
  it('fits any terminal from 80 columns on, and loses no character', () => {
    fc.assert(
      fc.property(cells, fc.integer({ min: 80, max: 159 }), (entry, columns) => {
        const [first = '', ...rest] = linesOf(replayLine(entry, columns));
        expect(Math.max(lengthOf(first), ...rest.map(lengthOf))).toBeLessThanOrEqual(columns);
        expect(first.trim().split(/ +/)).toStrictEqual([entry.revision, entry.time, entry.type, entry.amount, entry.balance]);
        expect(rest.map((line) => line.slice(9)).join('')).toBe(entry.what);
      }),
    );
  });

  it('stays on one line on a wide terminal and in a pipe', () => {
    fc.assert(
      fc.property(cells, fc.constantFrom(undefined, 160, 240), (entry, columns) => {
        const [line = '', ...others] = linesOf(replayLine(entry, columns));
        expect(others).toStrictEqual([]);
        expect(line.endsWith(`  ${entry.what}`)).toBe(true);
      }),
    );
  });
});
