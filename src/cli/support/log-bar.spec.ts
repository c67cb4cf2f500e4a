import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { left, percent } from './log-bar.js';

const position = fc.bigInt({ min: -10n, max: 1n << 62n });

describe('the progress through a log', () => {
  it('is between 0 and 100 percent, and 100 exactly from the target on, also if the log has grown behind it', () => {
    fc.assert(
      fc.property(position, position, (at, target) => {
        const shown = percent(at, target);
        expect(shown).toBeGreaterThanOrEqual(0);
        expect(shown).toBeLessThanOrEqual(100);
        expect(shown === 100).toBe(at >= target);
      }),
    );
  });

  it('never falls while the position advances', () => {
    fc.assert(
      fc.property(position, position, position, (one, another, target) => {
        const [earlier, later] = one < another ? [one, another] : [another, one];
        expect(percent(earlier, target)).toBeLessThanOrEqual(percent(later, target));
      }),
    );
  });

  it('tells no time left that is negative or endless', () => {
    fc.assert(
      fc.property(position, position, fc.nat(1_000_000), (at, target, elapsedMs) => {
        expect(left(at, target, elapsedMs)).toMatch(/^$|^\d+(e\+\d+)? (s|min) left$/);
      }),
    );
  });
});
