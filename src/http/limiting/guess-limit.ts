import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { hash } from 'node:crypto';
import { networkOf } from '../../platform/http-server/network-of.js';
import { ApiError } from '../errors/api-error.js';
import { RateLimits } from './rate-limits.js';

/** Keys and tokens that the service remembers, each with the address from which it was used. */
const MAX_REMEMBERED = 10_000;

/** `free`: the check cannot become a guess that was not counted; `reserved`: the check may become one; `refused`: the limit is reached. */
type Admission = 'free' | 'reserved' | 'refused';

interface Waiting {
  readonly name: string;
  readonly admit: (admission: Admission) => void;
}

/** The checks of one network that can become guesses. */
interface Checks {
  reserved: number;
  readonly waiting: Waiting[];
}

/**
 * Limits the guessing of keys and tokens. Beyond the limit of failed authentications, the service looks at no key or token from that address,
 * because a caller that still learns which one is right could go on guessing. Keys and tokens that authenticated from the same address
 * before go on working, so that nobody can lock out a caller behind the same address.
 *
 * Only a failed check counts. At most as many checks run at the same time as guesses are left, and further ones wait for their outcomes.
 * Simultaneous guesses therefore cannot exceed the limit, and simultaneous right keys, as many as they are, do not reach it.
 */
@Injectable()
export class GuessLimit {
  private readonly remembered = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  private readonly checking = new Set<string>();
  private readonly networks = new Map<string, Checks>();

  constructor(private readonly limits: RateLimits) {}

  /**
   * Runs a check of a key or token and returns its result. An ApiError of the check counts as a failed authentication.
   * @param credential key or token as it was sent; empty if none was
   * @throws TooManyRequests beyond the limit; then the check did not run
   */
  async attempt<T>(address: string, credential: string, check: () => T | Promise<T>): Promise<T> {
    const network = networkOf(address);
    const name = `${network} ${hash('sha256', credential)}`;
    const admission = this.admissionOf(network, name) ?? (await this.turnOf(network, name));
    if (admission === 'refused') this.limits.refuseAuthentication(address);
    try {
      const result = await check();
      this.remembered.set(name, true);
      return result;
    } catch (error) {
      // After another error the outcome is unknown, for example because a store does not respond.
      if (error instanceof ApiError) {
        this.remembered.delete(name);
        this.limits.failedAuthentication(address);
      }
      throw error;
    } finally {
      if (admission === 'reserved') this.release(network, name);
    }
  }

  /**
   * Admits a check, and reserves a guess for it if it may become one. Checks of one key at the same moment are one guess, because they tell
   * the caller no more than one does. Returns undefined if the outcomes of other checks decide.
   */
  private admissionOf(network: string, name: string): Admission | undefined {
    if (this.remembered.has(name) || this.checking.has(name)) return 'free';
    const left = this.limits.failedAuthenticationsLeft(network);
    if (left === 0) return 'refused';
    const checks = this.networks.get(network) ?? { reserved: 0, waiting: [] };
    if (checks.reserved >= left) return undefined;
    checks.reserved += 1;
    this.networks.set(network, checks);
    this.checking.add(name);
    return 'reserved';
  }

  private turnOf(network: string, name: string): Promise<Admission> {
    return new Promise((admit) => this.networks.get(network)?.waiting.push({ name, admit }));
  }

  private release(network: string, name: string): void {
    this.checking.delete(name);
    const checks = this.networks.get(network);
    if (!checks) return;
    checks.reserved -= 1;
    for (let next = checks.waiting[0]; next; next = checks.waiting[0]) {
      const admission = this.admissionOf(network, next.name);
      if (!admission) return;
      checks.waiting.shift();
      next.admit(admission);
    }
    if (checks.reserved === 0) this.networks.delete(network);
  }
}
