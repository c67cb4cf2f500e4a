import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { delayBeforeRetry, isRetryable, parseRetryAfter, sleep } from './retry.js';

describe('the delay before a retry', () => {
  it('doubles up to 8 s, and its upper half is random', () => {
    const delays = (random: number): number[] => [1, 2, 3, 4, 5, 6, 50].map((failures) => delayBeforeRetry(failures, null, () => random));
    expect(delays(0)).toStrictEqual([250, 500, 1_000, 2_000, 4_000, 4_000, 4_000]);
    expect(delays(1)).toStrictEqual([500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]);
  });

  it('is never shorter than Retry-After, and at most 250 ms longer unless the backoff is', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60 }),
        fc.nat(60_000),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (failures, after, random) => {
          const delay = delayBeforeRetry(failures, after, () => random);
          expect(delay).toBeGreaterThanOrEqual(after);
          expect(delay).toBeLessThanOrEqual(Math.max(after + 250, 8_000));
        },
      ),
    );
  });
});

describe('Retry-After', () => {
  const now = Date.parse('2026-03-01T09:00:00Z');

  it.each([
    ['7', 7_000],
    [' 0 ', 0],
    ['Sun, 01 Mar 2026 09:00:30 GMT', 30_000],
    ['Sun, 01 Mar 2026 08:00:00 GMT', 0],
    [null, null],
    ['', null],
    ['soon', null],
    ['-5', null],
    ['1.5', null],
  ])('of %j is %j ms', (value, expected) => {
    expect(parseRetryAfter(value, now)).toBe(expected);
  });
});

describe('a response', () => {
  it.each([
    [429, 'rate_limited', true],
    [503, 'unavailable', true],
    [500, 'internal_error', true],
    [408, 'request_timeout', true],
    [409, 'idempotency_in_progress', true],
    [502, undefined, true],
    [409, 'conflict', false],
    [402, 'insufficient_balance', false],
    [401, 'api_key_invalid', false],
    [422, 'validation_failed', false],
  ])('with status %i and code %j is retried: %j', (status, code, expected) => {
    expect(isRetryable(status, code)).toBe(expected);
  });
});

describe('a wait', () => {
  it('ends with the reason of its signal', async () => {
    const controller = new AbortController();
    const waiting = sleep(3_600_000, controller.signal);
    controller.abort(new Error('shutting down'));
    await expect(waiting).rejects.toThrow('shutting down');
    await expect(sleep(3_600_000, controller.signal)).rejects.toThrow('shutting down');
  });

  it('ends after its time', async () => {
    await expect(sleep(1, new AbortController().signal)).resolves.toBeUndefined();
  });
});
