import { Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import { HttpMetrics, type RateLimitName } from './http-metrics.js';
import { type PartnerContext } from './partner-context.js';

/** Anybody may look at profile pages, but not through all of them. */
const PAGES_PER_MINUTE = 120;

/** Provided by the application. A limit of 0 is no limit. */
export abstract class RateLimitOptions {
  /** Calls of one partner. */
  abstract readonly rateLimitPerSecond: Readonly<Record<PartnerContext['mode'], number>>;
  /** Calls with a wrong key or token from one address. */
  abstract readonly failedAuthenticationsPerMinute: number;
}

/** 429. */
export class TooManyRequests extends Error {
  override name = 'TooManyRequests';

  constructor(readonly retryAfterSeconds: number) {
    super('Too many requests.');
  }
}

interface Taken {
  readonly limit: number;
  readonly left: number;
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

/** How often partners and addresses may call (decisions, "Limits"), counted on each instance for itself; a limit of 0 is none. */
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

  /** Counts a partner's call and tells it in the RateLimit headers. @throws TooManyRequests */
  async partnerCalls({ partner_id, mode }: PartnerContext, reply: FastifyReply): Promise<void> {
    const taken = await take(this.partners[mode], partner_id);
    if (!taken) return;
    const { limit, left, resetSeconds, exceeded } = taken;
    // The newest form of the headers, and the one that most clients know.
    reply.headers({
      'RateLimit-Policy': `"partner";q=${limit};w=1`,
      RateLimit: `"partner";r=${left};t=${resetSeconds}`,
      'RateLimit-Limit': limit,
      'RateLimit-Remaining': left,
      'RateLimit-Reset': resetSeconds,
    });
    if (exceeded) this.refuse('partner', resetSeconds);
  }

  /** Counts a wrong or missing key or token; right ones from the same address go on working. @throws TooManyRequests */
  async failedAuthentication(address: string): Promise<void> {
    await this.refuseBeyond('failed_authentication', this.failures, address);
  }

  /** @throws TooManyRequests */
  async profilePage(address: string): Promise<void> {
    await this.refuseBeyond('profile_page', this.pages, address);
  }

  private async refuseBeyond(name: RateLimitName, limit: RateLimiterMemory, key: string): Promise<void> {
    const taken = await take(limit, key);
    if (taken?.exceeded) this.refuse(name, taken.resetSeconds);
  }

  private refuse(limit: RateLimitName, retryAfterSeconds: number): never {
    this.metrics.rateLimited(limit);
    throw new TooManyRequests(retryAfterSeconds);
  }
}

function limiter(points: number, duration: number): RateLimiterMemory {
  return new RateLimiterMemory({ points, duration });
}

/** undefined where there is no limit. */
async function take(limit: RateLimiterMemory, key: string): Promise<Taken | undefined> {
  if (limit.points === 0) return undefined;
  const told = (exceeded: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes): Taken => ({
    limit: limit.points,
    left: Math.max(remainingPoints, 0),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
    exceeded,
  });
  try {
    return told(false, await limit.consume(key));
  } catch (error) {
    if (error instanceof Error) throw error;
    return told(true, error as RateLimiterRes);
  }
}
