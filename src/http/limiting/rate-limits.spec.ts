import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { ApiError } from '../errors/api-error.js';
import { HttpMetrics } from '../observe-requests.js';
import { RateLimits, TooManyRequests, CallCounter } from './rate-limits.js';

const LIMIT = 3;
const ADDRESSES = ['203.0.113.1', '203.0.113.2', '2001:db8::1'];
const FAILURES = { wrong: 'api_key_invalid', none: 'api_key_missing', token: 'token_invalid', unlinked: 'api_key_not_linked' } as const;

type Credential = 'right' | keyof typeof FAILURES;

function rateLimits(failedAuthenticationsPerMinute = LIMIT): RateLimits {
  return new RateLimits({ rateLimitPerSecond: { live: 0, sandbox: 0 }, failedAuthenticationsPerMinute }, new HttpMetrics(new Registry()));
}

/** Attempts to authenticate, and returns the code of the error if that fails. */
async function attempt(limits: RateLimits, address: string, credential: Credential): Promise<string> {
  try {
    return await limits.authentication(address, () => {
      if (credential !== 'right') throw new ApiError(FAILURES[credential]);
      return 'admitted';
    });
  } catch (error) {
    if (error instanceof TooManyRequests) return 'rate_limited';
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

describe('the limit of failed authentications', () => {
  it('turns a 401 beyond it into a 429, and changes no other outcome', async () => {
    const credential = fc.constantFrom<Credential>('right', 'wrong', 'none', 'token', 'unlinked');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.constantFrom(...ADDRESSES), credential), { maxLength: 60 }), async (all) => {
        const limits = rateLimits();
        const failures = new Map<string, number>();
        for (const [address, sent] of all) {
          if (sent === 'right' || sent === 'unlinked') {
            expect(await attempt(limits, address, sent)).toBe(sent === 'right' ? 'admitted' : FAILURES.unlinked);
            continue;
          }
          const failed = failures.get(address) ?? 0;
          failures.set(address, failed + 1);
          expect(await attempt(limits, address, sent)).toBe(failed < LIMIT ? FAILURES[sent] : 'rate_limited');
        }
      }),
    );
  });

  it('holds for simultaneous guesses, and spares the right key among them', async () => {
    const limits = rateLimits();
    const sent = Array.from({ length: 50 }, (_, index): Credential => (index === 40 ? 'right' : 'wrong'));
    const outcomes = await Promise.all(sent.map((credential) => attempt(limits, '203.0.113.1', credential)));
    expect(outcomes.filter((outcome) => outcome === FAILURES.wrong)).toHaveLength(LIMIT);
    expect(outcomes.indexOf('admitted')).toBe(40);
  });

  it('is none if the setting is 0', async () => {
    const limits = rateLimits(0);
    for (let guess = 0; guess < 100; guess += 1) expect(await attempt(limits, '203.0.113.1', 'wrong')).toBe(FAILURES.wrong);
  });

  it('counts no check whose outcome is unknown', async () => {
    const limits = rateLimits();
    for (let index = 0; index < 10 * LIMIT; index += 1) {
      const outage = limits.authentication('203.0.113.1', () => Promise.reject(new Error('the database is away')));
      await expect(outage).rejects.toThrow('the database is away');
    }
    expect(await attempt(limits, '203.0.113.1', 'wrong')).toBe(FAILURES.wrong);
  });
});

const MOST_CALLS = 5;
const WINDOW_MS = 60_000;
const DAY_MS = 86_400_000;

describe('a counter of calls', () => {
  it('allows as many calls as the limit in each window, which begins with a caller’s first call', () => {
    let now = 0;
    const counter = new CallCounter(MOST_CALLS, WINDOW_MS, () => now);
    const used = Array.from({ length: MOST_CALLS + 1 }, () => counter.count('a'));
    expect(used.map(({ exceeded }) => exceeded)).toStrictEqual([false, false, false, false, false, true]);
    expect(used.map(({ left }) => left)).toStrictEqual([4, 3, 2, 1, 0, 0]);
    expect(counter.count('b')).toStrictEqual({ limit: MOST_CALLS, left: 4, resetSeconds: 60, exceeded: false });
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
        const counter = new CallCounter(MOST_CALLS, WINDOW_MS, () => now);
        const windows: Record<string, { start: number; calls: number }> = {};
        for (const [caller, pause] of all) {
          now += pause;
          const before = windows[caller];
          const window = before && now < before.start + WINDOW_MS ? before : { start: now, calls: 0 };
          window.calls += 1;
          windows[caller] = window;
          expect(counter.count(caller).exceeded).toBe(window.calls > MOST_CALLS);
        }
      }),
    );
  });

  it('remembers only the callers of the current window after a year', () => {
    let now = 0;
    const counter = new CallCounter(MOST_CALLS, WINDOW_MS, () => now);
    const callersADay = 100;
    for (let day = 0; day < 365; day += 1) {
      for (let caller = 0; caller < callersADay; caller += 1) {
        now += DAY_MS / callersADay;
        expect(counter.count(`${day} ${caller}`)).toMatchObject({ left: MOST_CALLS - 1, resetSeconds: 60 });
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
