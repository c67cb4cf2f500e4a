import { describe, expect, it } from '@jest/globals';
import { Lag } from './lag.js';

describe('the lag', () => {
  const measuredAt = (now: { ms: number }): Lag => new Lag(() => now.ms);

  it('is 0 for a reader that has reached the newest event, and for an empty log', () => {
    const now = { ms: 0 };
    const lag = measuredAt(now);
    for (const [head, reached] of [
      [undefined, -1n],
      [5n, 5n],
      [9n, 9n],
    ] as const) {
      expect(lag.measure(head, reached)).toBe(0);
      now.ms += 60_000;
    }
  });

  it('is the time for which an event has waited, however many follow it', () => {
    const now = { ms: 0 };
    const lag = measuredAt(now);
    expect(lag.measure(5n, 4n)).toBe(0);
    now.ms = 10_000;
    expect(lag.measure(50n, 4n)).toBe(10_000);
    now.ms = 20_000;
    expect(lag.measure(90n, 4n)).toBe(20_000);
    expect(lag.measure(90n, 5n)).toBe(10_000);
    expect(lag.measure(90n, 50n)).toBe(0);
  });

  it('stays for a reader that advances, but never gets as far as the log was before', () => {
    const now = { ms: 0 };
    const lag = measuredAt(now);
    let lags = 0;
    for (let second = 0; second <= 100; second += 1) {
      now.ms = second * 1_000;
      lags = lag.measure(BigInt(second + 1), BigInt(second - 40));
    }
    expect(lags).toBe(40_000);
  });
});
