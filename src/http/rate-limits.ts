import { Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { HttpMetrics, type RateLimitName } from './http-metrics.js';
import { type PartnerContext } from './partner-context.js';

/** Profile pages are public. The limit, per address, keeps anyone from retrieving all of them. */
const PAGES_PER_MINUTE = 120;

/** Provided by the application. 0 means no limit. */
export abstract class RateLimitOptions {
  /** Calls of one partner. */
  abstract readonly rateLimitPerSecond: Readonly<Record<PartnerContext['mode'], number>>;
  /** Calls with a wrong key or token from one address. */
  abstract readonly failedAuthenticationsPerMinute: number;
}

/** Becomes a 429 response. */
export class TooManyRequests extends Error {
  override name = 'TooManyRequests';

  constructor(readonly retryAfterSeconds: number) {
    super('Too many requests.');
  }
}

interface Usage {
  readonly limit: number;
  readonly left: number;
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

/** The rate limits of partners and addresses (decisions, "Limits"). Each instance counts on its own. */
@Injectable()
export class RateLimits {
  private readonly partners: Readonly<Record<PartnerContext['mode'], RateLimiterMemory>>;
  private readonly failures: RateLimiterMemory;
  private readonly pages = limiter(PAGES_PER_MINUTE, 60);

  constructor(
    { rateLimitPerSecond, failedAuthenticationsPerMinute }: RateLimitOptions,
    private readonly metrics: HttpMetrics,
  ) {
    this.partners = { live: limiter(rateLimitPerSecond.live, 1), sandbox: limiter(rateLimitPerSecond.sandbox, 1) };
    this.failures = limiter(failedAuthenticationsPerMinute, 60);
  }

  /** Counts a call of a partner and sets the RateLimit headers. @throws TooManyRequests */
  async partnerCalls({ partner_id, mode }: PartnerContext, reply: FastifyReply): Promise<void> {
    const usage = await count(this.partners[mode], partner_id);
    if (!usage) return;
    const { limit, left, resetSeconds, exceeded } = usage;
    // The first two headers follow the current IETF draft, the others the older one that most clients know.
    reply.headers({
      'RateLimit-Policy': `"partner";q=${limit};w=1`,
      RateLimit: `"partner";r=${left};t=${resetSeconds}`,
      'RateLimit-Limit': limit,
      'RateLimit-Remaining': left,
      'RateLimit-Reset': resetSeconds,
    });
    if (exceeded) this.refuse('partner', resetSeconds);
  }

  /**
   * Counts a wrong or missing key or token of an address. Calls with a valid one from the same address still work.
   * @throws TooManyRequests
   */
  async failedAuthentication(address: string): Promise<void> {
    await this.refuseBeyond('failed_authentication', this.failures, address);
  }

  /** @throws TooManyRequests */
  async profilePage(address: string): Promise<void> {
    await this.refuseBeyond('profile_page', this.pages, address);
  }

  private async refuseBeyond(name: RateLimitName, limit: RateLimiterMemory, key: string): Promise<void> {
    const usage = await count(limit, key);
    if (usage?.exceeded) this.refuse(name, usage.resetSeconds);
  }

  private refuse(limit: RateLimitName, retryAfterSeconds: number): never {
    this.metrics.rateLimited(limit);
    throw new TooManyRequests(retryAfterSeconds);
  }
}

function limiter(points: number, duration: number): RateLimiterMemory {
  return new RateLimiterMemory({ points, duration });
}

/** Counts a call and returns the usage of the limit, or undefined if there is no limit. */
async function count(limit: RateLimiterMemory, key: string): Promise<Usage | undefined> {
  if (limit.points === 0) return undefined;
  const usage = (exceeded: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): Usage => ({
    limit: limit.points,
    left: Math.max(remainingPoints, 0),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
    exceeded,
  });
  try {
    return usage(false, await limit.consume(key));
  } catch (error) {
    // The limiter throws its result, which is not an Error, when the limit is exceeded.
    if (error instanceof Error) throw error;
    return usage(true, error as RateLimiterRes);
  }
}
