import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CallCounter } from './call-counter.js';

const LIMIT = 5;
const WINDOW_MS = 60_000;
const DAY_MS = 86_400_000;

describe('a counter of calls', () => {
  it('allows as many calls as the limit in each window, which begins with a caller’s first call', () => {
    let now = 0;
    const counter = new CallCounter(LIMIT, WINDOW_MS, () => now);
    const used = Array.from({ length: LIMIT + 1 }, () => counter.count('a'));
    expect(used.map(({ exceeded }) => exceeded)).toStrictEqual([false, false, false, false, false, true]);
    expect(used.map(({ left }) => left)).toStrictEqual([4, 3, 2, 1, 0, 0]);
    expect(counter.count('b')).toStrictEqual({ limit: LIMIT, left: 4, resetSeconds: 60, exceeded: false });
    now += WINDOW_MS - 1;
    expect(counter.count('a')).toMatchObject({ exceeded: true, resetSeconds: 1 });
    now += 1;
    expect(counter.count('a')).toMatchObject({ exceeded: false, left: 4, resetSeconds: 60 });
  });

  it('counts as a list of all calls would, in any order of callers', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(WINDOW_MS)), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (all) => {
        let now = 0;
        const counter = new CallCounter(LIMIT, WINDOW_MS, () => now);
        const windows: Record<string, { start: number; calls: number }> = {};
        for (const [caller, pause] of all) {
          now += pause;
          const before = windows[caller];
          const window = before && now < before.start + WINDOW_MS ? before : { start: now, calls: 0 };
          window.calls += 1;
          windows[caller] = window;
          expect(counter.count(caller).exceeded).toBe(window.calls > LIMIT);
        }
      }),
    );
  });

  it('remembers only the callers of the current window after a year', () => {
    let now = 0;
    const counter = new CallCounter(LIMIT, WINDOW_MS, () => now);
    const callersADay = 100;
    for (let day = 0; day < 365; day += 1) {
      for (let caller = 0; caller < callersADay; caller += 1) {
        now += DAY_MS / callersADay;
        expect(counter.count(`${day} ${caller}`)).toMatchObject({ left: LIMIT - 1, resetSeconds: 60 });
        expect(counter.callers).toBe(1);
      }
    }
  });

  it('remembers no more callers than its bound, and forgets those first whose windows end first', () => {
    const counter = new CallCounter(1, WINDOW_MS, () => 0, 3);
    for (const caller of ['a', 'b', 'c', 'd']) counter.count(caller);
    expect(counter.callers).toBe(3);
    expect(['d', 'c', 'b'].map((caller) => counter.count(caller).exceeded)).toStrictEqual([true, true, true]);
    expect(counter.count('a').exceeded).toBe(false);
  });
});
