import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { ApiError } from '../errors/api-error.js';
import { GuessLimit } from './guess-limit.js';
import { HttpMetrics } from '../http-metrics.js';
import { RateLimits, TooManyRequests } from './rate-limits.js';

const LIMIT = 3;
const ADDRESSES = ['203.0.113.1', '203.0.113.2', '2001:db8::1'];
const CREDENTIALS = ['right', 'other', 'wrong1', 'wrong2', 'wrong3', 'wrong4', ''];

function guessLimit(): GuessLimit {
  const rateLimitPerSecond = { live: 0, sandbox: 0 };
  return new GuessLimit(new RateLimits({ rateLimitPerSecond, failedAuthenticationsPerMinute: LIMIT }, new HttpMetrics(new Registry())));
}

/** Attempts to authenticate, as a service does at which the credentials are valid. */
async function attempt(
  limit: GuessLimit,
  address: string,
  credential: string,
  valid: ReadonlySet<string>,
): Promise<'admitted' | 'refused' | 'not looked at'> {
  try {
    return await limit.attempt(address, credential, () => {
      if (!valid.has(credential)) throw new ApiError('api_key_invalid');
      return 'admitted';
    });
  } catch (error) {
    if (error instanceof TooManyRequests) return 'not looked at';
    if (error instanceof ApiError) return 'refused';
    throw error;
  }
}

describe('the limit of guesses', () => {
  it('tells a guesser beyond it nothing, and admits a caller with a key that the address used before', async () => {
    const steps = fc.array(fc.tuple(fc.constantFrom(...ADDRESSES), fc.constantFrom(...CREDENTIALS)), { maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const limit = guessLimit();
        const failures = new Map<string, number>();
        const admitted = new Set<string>();
        for (const [address, credential] of all) {
          const isRight = credential === 'right' || credential === 'other';
          const failed = failures.get(address) ?? 0;
          const expected = admitted.has(`${address} ${credential}`)
            ? 'admitted'
            : failed >= LIMIT
              ? 'not looked at'
              : isRight
                ? 'admitted'
                : 'refused';
          expect(await attempt(limit, address, credential, new Set(['right', 'other']))).toBe(expected);
          if (expected === 'admitted') admitted.add(`${address} ${credential}`);
          else failures.set(address, failed + 1);
        }
      }),
    );
  });

  it('looks at no more simultaneous guesses than the limit', async () => {
    const limit = guessLimit();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => attempt(limit, '203.0.113.1', `guess${index}`, new Set(['guess40']))),
    );
    expect(outcomes.filter((outcome) => outcome !== 'not looked at')).toStrictEqual(['refused', 'refused', 'refused']);
  });

  it('counts simultaneous requests with one right key as no guess', async () => {
    const limit = guessLimit();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => attempt(limit, '203.0.113.1', 'right', new Set(['right']))));
    expect(new Set(outcomes)).toStrictEqual(new Set(['admitted']));
    expect(await attempt(limit, '203.0.113.1', 'wrong', new Set())).toBe('refused');
  });

  it('counts no right key as a guess, however many are sent at the same moment', async () => {
    const limit = guessLimit();
    const keys = Array.from({ length: 50 }, (_, index) => `right${index}`);
    const outcomes = await Promise.all(keys.map((key) => attempt(limit, '203.0.113.1', key, new Set(keys))));
    expect(outcomes).toStrictEqual(keys.map(() => 'admitted'));
    for (let guess = 0; guess < LIMIT; guess += 1) expect(await attempt(limit, '203.0.113.1', `guess${guess}`, new Set())).toBe('refused');
    expect(await attempt(limit, '203.0.113.1', 'guess', new Set())).toBe('not looked at');
  });

  it('looks at no more guesses than the limit among right keys, in any order, and lets no call wait forever', async () => {
    const keys = fc.array(fc.constantFrom(...CREDENTIALS, 'wrong5', 'wrong6'), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(keys, fc.scheduler(), async (all, scheduler) => {
        const limit = guessLimit();
        const looked = new Set<string>();
        const calls = all.map(async (key) => {
          try {
            await limit.attempt('203.0.113.1', key, async () => {
              looked.add(key);
              await scheduler.schedule(Promise.resolve());
              if (key !== 'right' && key !== 'other') throw new ApiError('api_key_invalid');
            });
          } catch (error) {
            if (!(error instanceof ApiError) && !(error instanceof TooManyRequests)) throw error;
          }
        });
        await scheduler.waitFor(Promise.all(calls));
        const guesses = [...looked].filter((key) => key !== 'right' && key !== 'other');
        expect(guesses.length).toBeLessThanOrEqual(LIMIT);
      }),
    );
  });

  it('does not admit a key beyond it that has become invalid, a second time', async () => {
    const limit = guessLimit();
    expect(await attempt(limit, '203.0.113.1', 'right', new Set(['right']))).toBe('admitted');
    for (let guess = 0; guess < LIMIT; guess += 1) await attempt(limit, '203.0.113.1', `guess${guess}`, new Set());
    expect(await attempt(limit, '203.0.113.1', 'right', new Set())).toBe('not looked at');
    expect(await attempt(limit, '203.0.113.1', 'right', new Set(['right']))).toBe('not looked at');
  });

  it('counts no check whose outcome is unknown', async () => {
    const limit = guessLimit();
    for (let index = 0; index < 10 * LIMIT; index += 1) {
      const outage = limit.attempt('203.0.113.1', `key${index}`, () => Promise.reject(new Error('the database is away')));
      await expect(outage).rejects.toThrow('the database is away');
    }
    expect(await attempt(limit, '203.0.113.1', 'wrong', new Set())).toBe('refused');
  });
});
