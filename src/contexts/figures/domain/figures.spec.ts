import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countsBy, MINUTE_MS, NO_COUNTS, NO_LEVELS, PERIOD_NAMES, PERIODS, stepsOf, sumOf, wholeUntil } from './figures.js';

const AT = Date.UTC(2026, 2, 1, 9, 14, 30);
const MINUTE = AT - (AT % MINUTE_MS);
const counts = (lookups: number) => ({ ...NO_COUNTS, lookups });
const step = (atMs: number, lookups: number) => ({ atMs, counts: counts(lookups), levels: NO_LEVELS });

describe('a period of figures', () => {
  it('has sixty whole minutes in an hour, without the one that is not over', () => {
    const recorded = [step(MINUTE, 5), step(MINUTE - MINUTE_MS, 3), step(MINUTE - 60 * MINUTE_MS, 2), step(MINUTE - 61 * MINUTE_MS, 100)];
    const steps = stepsOf('hour', AT, recorded);
    expect([steps.length, steps[0]?.counts?.lookups, steps.at(-1)?.counts?.lookups]).toStrictEqual([60, 2, 3]);
  });

  it('has unknown counts where no process recorded anything', () => {
    const steps = stepsOf('hour', AT, [step(MINUTE - MINUTE_MS, 0)]);
    expect([steps.at(-1)?.counts, steps.at(-2)?.counts]).toStrictEqual([NO_COUNTS, null]);
  });

  it('begins at whole steps in UTC, has no gap, and ends with the newest step that is over', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PERIOD_NAMES), fc.integer({ min: 0, max: 4e12 }), (period, nowMs) => {
        const { ms, stepMs } = PERIODS[period];
        const times = stepsOf(period, nowMs, []).map(({ atMs }) => atMs);
        const end = wholeUntil(stepMs, nowMs);
        expect(times).toStrictEqual(times.map((_, index) => end - ms + index * stepMs));
        expect([end % stepMs, times.at(-1), end <= nowMs, nowMs < end + stepMs]).toStrictEqual([0, end - stepMs, true, true]);
      }),
    );
  });

  it('adds up counts by name', () => {
    const one = countsBy((name) => name.length);
    expect(sumOf([one, one])).toStrictEqual(countsBy((name) => 2 * name.length));
    expect(sumOf([])).toStrictEqual(NO_COUNTS);
  });
});
