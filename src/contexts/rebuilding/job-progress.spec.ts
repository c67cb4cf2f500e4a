import { describe, expect, it } from '@jest/globals';
import { jobProgress } from './job-progress.js';

describe('the progress of a job', () => {
  it('is estimated from the position in the log', () => {
    expect(jobProgress({ events: 1_000, position: 25n, target: 100n }, 2_000)).toStrictEqual({
      done: 1_000,
      total: 4_000,
      rate: 500,
      seconds_left: 6,
    });
  });

  it('is complete at the target, also beyond it', () => {
    for (const position of [100n, 120n])
      expect(jobProgress({ events: 3_999, position, target: 100n }, 8_000)).toStrictEqual({
        done: 3_999,
        total: 3_999,
        rate: 500,
        seconds_left: 0,
      });
  });

  it('has no estimate before the first event', () => {
    expect(jobProgress({ events: 0, position: -1n, target: 100n }, 0)).toStrictEqual({ done: 0, total: null, rate: 0, seconds_left: null });
    expect(jobProgress({ events: 1, position: 0n, target: 100n }, 1_000)).toMatchObject({ done: 1, total: null, seconds_left: null });
  });

  it('is complete for an empty log', () => {
    expect(jobProgress({ events: 0, position: -1n, target: -1n }, 10)).toMatchObject({ done: 0, total: 0, seconds_left: 0 });
  });
});
