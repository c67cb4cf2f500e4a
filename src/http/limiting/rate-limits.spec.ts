import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { ApiError } from '../errors/api-error.js';
import { HttpMetrics } from '../http-metrics.js';
import { RateLimits, TooManyRequests } from './rate-limits.js';

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
