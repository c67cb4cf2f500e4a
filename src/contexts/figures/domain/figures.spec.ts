import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { countsBy, endOfPeriod, figuresOf, MINUTE_MS, NO_COUNTS, NO_LEVELS, PERIOD_NAMES, PERIODS, sumOf } from './figures.js';

const AT = Date.UTC(2026, 2, 1, 9, 14, 30);
const MINUTE = AT - (AT % MINUTE_MS);
const counts = (lookups: number) => ({ ...NO_COUNTS, lookups });
const step = (atMs: number, lookups: number) => ({ atMs, counts: counts(lookups), levels: NO_LEVELS });

describe('the figures of a period', () => {
  it('count exactly sixty whole minutes, and the minute that is not over apart', () => {
    const recorded = [step(MINUTE, 5), step(MINUTE - MINUTE_MS, 3), step(MINUTE - 60 * MINUTE_MS, 2), step(MINUTE - 61 * MINUTE_MS, 100)];
    const { steps, total, running } = figuresOf('hour', AT, recorded);
    expect([steps.length, total.lookups, running.counts?.lookups]).toStrictEqual([60, 5, 5]);
    expect([steps[0]?.atMs, steps.at(-1)?.atMs, running.atMs]).toStrictEqual([MINUTE - 60 * MINUTE_MS, MINUTE - MINUTE_MS, MINUTE]);
  });

  it('have unknown counts where no process recorded anything', () => {
    const { steps } = figuresOf('hour', AT, [step(MINUTE - MINUTE_MS, 0)]);
    expect([steps.at(-1)?.counts, steps.at(-2)?.counts]).toStrictEqual([NO_COUNTS, null]);
  });

  it('begin at whole steps in UTC, and leave no gap between them', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PERIOD_NAMES), fc.integer({ min: 0, max: 4e12 }), (period, nowMs) => {
        const { ms, stepMs } = PERIODS[period];
        const { steps, running } = figuresOf(period, nowMs, []);
        const all = [...steps, running].map(({ atMs }) => atMs);
        expect(all).toStrictEqual(all.map((_, index) => endOfPeriod(period, nowMs) - ms + index * stepMs));
        expect(all.every((atMs) => atMs % stepMs === 0)).toBe(true);
        expect(running.atMs <= nowMs && nowMs < running.atMs + stepMs).toBe(true);
      }),
    );
  });

  it('add up by name', () => {
    const one = countsBy((name) => name.length);
    expect(sumOf([one, one])).toStrictEqual(countsBy((name) => 2 * name.length));
    expect(sumOf([])).toStrictEqual(NO_COUNTS);
  });
});
