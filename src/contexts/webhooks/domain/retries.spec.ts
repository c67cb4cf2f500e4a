import { describe, expect, it } from '@jest/globals';
import { judge } from './retries.js';

const SCHEDULE = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
const at = new Date('2026-11-21T10:00:00.000Z');
const failed = { mode: 'live' as const, attempt: 1, status: 500, retryAfter: undefined, at };
const after = (seconds: number): object => ({ status: 'failed', nextAttemptAt: new Date(at.getTime() + seconds * 1_000) });

describe('after an attempt', () => {
  it.each([200, 204, 299])('%i is delivered', (status) => {
    expect(judge({ ...failed, status }, SCHEDULE, 0.5)).toStrictEqual({ status: 'delivered' });
  });

  it.each([undefined, 100, 301, 404, 500])('%p is tried again', (status) => {
    expect(judge({ ...failed, status }, SCHEDULE, 0.5)).toStrictEqual(after(5));
  });

  it('waits as the schedule says, give or take a fifth', () => {
    for (const [index, seconds] of SCHEDULE.slice(1).entries()) {
      const attempted = { ...failed, attempt: index + 1 };
      expect(judge(attempted, SCHEDULE, 0)).toStrictEqual(after(seconds * 0.8));
      expect(judge(attempted, SCHEDULE, 1)).toStrictEqual(after(seconds * 1.2));
    }
  });

  it('ends after the last attempt, in sandbox after three', () => {
    expect(judge({ ...failed, attempt: 9 }, SCHEDULE, 0.5)).toStrictEqual(after(86_400));
    expect(judge({ ...failed, attempt: 10 }, SCHEDULE, 0.5)).toStrictEqual({ status: 'exhausted' });
    expect(judge({ ...failed, mode: 'sandbox', attempt: 2 }, SCHEDULE, 0.5)).toStrictEqual(after(300));
    expect(judge({ ...failed, mode: 'sandbox', attempt: 3 }, SCHEDULE, 0.5)).toStrictEqual({ status: 'exhausted' });
  });

  it('ends at once with 410', () => {
    expect(judge({ ...failed, status: 410 }, SCHEDULE, 0.5)).toStrictEqual({ status: 'exhausted' });
  });

  it('waits longer where it was asked to, a day at most', () => {
    expect(judge({ ...failed, retryAfter: '60' }, SCHEDULE, 0.5)).toStrictEqual(after(60));
    expect(judge({ ...failed, retryAfter: '1' }, SCHEDULE, 0.5)).toStrictEqual(after(5));
    expect(judge({ ...failed, retryAfter: '999999999' }, SCHEDULE, 0.5)).toStrictEqual(after(86_400));
    expect(judge({ ...failed, retryAfter: 'Sat, 21 Nov 2026 10:02:00 GMT' }, SCHEDULE, 0.5)).toStrictEqual(after(120));
    expect(judge({ ...failed, retryAfter: 'soon' }, SCHEDULE, 0.5)).toStrictEqual(after(5));
  });
});
