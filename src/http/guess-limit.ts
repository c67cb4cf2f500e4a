import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import { networkOf } from '../platform/http-server/network-of.js';
import { ApiError } from './api-error.js';
import { RateLimits } from './rate-limits.js';

/** Keys and tokens that the service remembers, each with the address from which it was used. */
const MAX_REMEMBERED = 10_000;

/**
 * Limits the guessing of keys and tokens. Beyond the limit of failed authentications, the service looks at no key or token from that address,
 * because a caller that still learns which one is right could go on guessing. Keys and tokens that authenticated from the same address
 * before go on working, so that nobody can lock out a caller behind the same address.
 */
@Injectable()
export class GuessLimit {
  private readonly remembered = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  private readonly checking = new Set<string>();

  constructor(private readonly limits: RateLimits) {}

  /**
   * Runs a check of a key or token and returns its result. An ApiError of the check counts as a failed authentication.
   * @param credential key or token as it was sent; empty if none was
   * @throws TooManyRequests beyond the limit; then the check did not run
   */
  async attempt<T>(address: string, credential: string, check: () => T | Promise<T>): Promise<T> {
    const name = `${networkOf(address)} ${hash('sha256', credential)}`;
    const counted = this.countBeforeCheck(name, address);
    try {
      const result = await check();
      this.remembered.set(name, true);
      if (counted) this.limits.takeBackFailedAuthentication(address);
      return result;
    } catch (error) {
      if (error instanceof ApiError) {
        this.remembered.delete(name);
        if (!counted) this.limits.failedAuthentication(address);
      } else if (counted) {
        // The outcome is unknown, for example because a store does not respond.
        this.limits.takeBackFailedAuthentication(address);
      }
      throw error;
    } finally {
      if (counted) this.checking.delete(name);
    }
  }

  /**
   * Counts the check as failed until it succeeds, so that simultaneous guesses cannot exceed the limit. Checks of one key at the same moment
   * are one guess: a caller that begins with many simultaneous requests does not reach the limit. @throws TooManyRequests
   */
  private countBeforeCheck(name: string, address: string): boolean {
    if (this.remembered.has(name) || this.checking.has(name)) return false;
    this.limits.failedAuthentication(address);
    this.checking.add(name);
    return true;
  }
}
