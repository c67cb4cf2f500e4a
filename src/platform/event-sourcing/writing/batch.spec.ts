import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isWorthRetrying, pauseAfterLostRace } from './batch.js';

describe('a writer that lost a race for a stream', () => {
  it('pauses about as long as an append takes, and twice as long after each further loss', () => {
    expect([1, 2, 3].map((lost) => pauseAfterLostRace(lost, 4, 0.5))).toStrictEqual([4, 8, 16]);
    expect([0, 1].map((random) => pauseAfterLostRace(1, 4, random))).toStrictEqual([2, 6]);
  });

  it('never pauses for more than half a second, however slow the store is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (lost, ms, random) => {
          const pause = pauseAfterLostRace(lost, ms, random);
          expect(pause).toBeGreaterThan(0);
          expect(pause).toBeLessThanOrEqual(500);
        },
      ),
    );
  });

  it('goes on for 15 s, and for 12 races if these take longer', () => {
    expect(isWorthRetrying(1_000, 14_999)).toBe(true);
    expect(isWorthRetrying(11, 60_000)).toBe(true);
    expect(isWorthRetrying(12, 15_000)).toBe(false);
  });
});
