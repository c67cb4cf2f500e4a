import { describe, expect, it } from '@jest/globals';
import { evaluateAttempt } from './retries.js';

const SCHEDULE = [0, 5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
const at = new Date('2026-11-21T10:00:00.000Z');
const failed = { mode: 'live' as const, attempt: 1, status: 500, retryAfter: undefined, at };
const after = (seconds: number): object => ({ status: 'failed', nextAttemptAt: new Date(at.getTime() + seconds * 1_000) });

describe('a delivery attempt', () => {
  it.each([200, 204, 299])('with the status %i counts as delivered', (status) => {
    expect(evaluateAttempt({ ...failed, status }, SCHEDULE, 0.5)).toStrictEqual({ status: 'delivered' });
  });

  it.each([undefined, 100, 301, 404, 500])('with the status %p is retried', (status) => {
    expect(evaluateAttempt({ ...failed, status }, SCHEDULE, 0.5)).toStrictEqual(after(5));
  });

  it('is retried after the scheduled wait, plus or minus 20 %', () => {
    for (const [index, seconds] of SCHEDULE.slice(1).entries()) {
      const attempted = { ...failed, attempt: index + 1 };
      expect(evaluateAttempt(attempted, SCHEDULE, 0)).toStrictEqual(after(seconds * 0.8));
      expect(evaluateAttempt(attempted, SCHEDULE, 1)).toStrictEqual(after(seconds * 1.2));
    }
  });

  it('is not retried after the last one of the schedule, or after the third in sandbox', () => {
    expect(evaluateAttempt({ ...failed, attempt: 9 }, SCHEDULE, 0.5)).toStrictEqual(after(86_400));
    expect(evaluateAttempt({ ...failed, attempt: 10 }, SCHEDULE, 0.5)).toStrictEqual({ status: 'exhausted' });
    expect(evaluateAttempt({ ...failed, mode: 'sandbox', attempt: 2 }, SCHEDULE, 0.5)).toStrictEqual(after(300));
    expect(evaluateAttempt({ ...failed, mode: 'sandbox', attempt: 3 }, SCHEDULE, 0.5)).toStrictEqual({ status: 'exhausted' });
  });

  it('is not retried after a 410', () => {
    expect(evaluateAttempt({ ...failed, status: 410 }, SCHEDULE, 0.5)).toStrictEqual({ status: 'exhausted' });
  });

  it('is retried later if Retry-After asks for it, after a day at most', () => {
    expect(evaluateAttempt({ ...failed, retryAfter: '60' }, SCHEDULE, 0.5)).toStrictEqual(after(60));
    expect(evaluateAttempt({ ...failed, retryAfter: '1' }, SCHEDULE, 0.5)).toStrictEqual(after(5));
    for (const retryAfter of ['86400', '86401', '999999999', '1000000000', '9'.repeat(400)])
      expect(evaluateAttempt({ ...failed, retryAfter }, SCHEDULE, 0.5)).toStrictEqual(after(86_400));
    expect(evaluateAttempt({ ...failed, retryAfter: 'Sat, 21 Nov 2026 10:02:00 GMT' }, SCHEDULE, 0.5)).toStrictEqual(after(120));
    expect(evaluateAttempt({ ...failed, retryAfter: 'soon' }, SCHEDULE, 0.5)).toStrictEqual(after(5));
  });
});
