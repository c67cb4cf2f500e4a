import { Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { networkOf } from '../../platform/http-server/address.js';
import { ApiError } from '../errors/api-error.js';
import { ERRORS } from '../errors/error-codes.js';
import { MAX_RUNNING, type RunningCall, RunningCalls, TOO_MANY_RUNNING } from './many-at-once.js';
import { HttpMetrics, type RateLimitName } from '../observe-requests.js';
import { type PartnerContext } from '../authenticating/partner-context.js';

/** Profile pages are public. The limit, per address, keeps anyone from retrieving all of them. */
const PAGES_PER_MINUTE = 120;
/** Checkpoints and tiles of the log, per address. A program that follows the log reads many tiles at once. */
const LOG_READS_PER_SECOND = 200;
/** A call with many items takes about a second, so one of the running calls has ended by then. */
const RUNNING_RETRY_SECONDS = 1;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;

/** Provided by the application. 0 means no limit. */
export abstract class RateLimitOptions {
  /** Calls of one partner. */
  abstract readonly rateLimitPerSecond: Readonly<Record<PartnerContext['mode'], number>>;
  /** Failed authentications of one address. */
  abstract readonly failedAuthenticationsPerMinute: number;
}

/** Becomes a 429 response. */
export class TooManyRequests extends Error {
  override name = 'TooManyRequests';

  /** @param told replaces the message of the response */
  constructor(
    readonly retryAfterSeconds: number,
    readonly told?: string,
  ) {
    super('Too many requests.');
  }
}

/** The rate limits of partners and addresses (decisions, "Limits"). Each instance counts on its own. */
@Injectable()
export class RateLimits {
  /** Undefined where there is no limit. */
  private readonly partners: Readonly<Record<PartnerContext['mode'], CallCounter | undefined>>;
  private readonly failures: CallCounter | undefined;
  private readonly running = new RunningCalls(MAX_RUNNING);
  private readonly pages = new CallCounter(PAGES_PER_MINUTE, MINUTE_MS);
  private readonly logReads = new CallCounter(LOG_READS_PER_SECOND, SECOND_MS);

  constructor(
    { rateLimitPerSecond, failedAuthenticationsPerMinute }: RateLimitOptions,
    private readonly metrics: HttpMetrics,
  ) {
    this.partners = { live: counter(rateLimitPerSecond.live, SECOND_MS), sandbox: counter(rateLimitPerSecond.sandbox, SECOND_MS) };
    this.failures = counter(failedAuthenticationsPerMinute, MINUTE_MS);
  }

  /** Counts a call of a partner and sets the RateLimit headers. @throws TooManyRequests */
  partnerCalls({ partner_id, mode }: PartnerContext, reply: FastifyReply): void {
    const usage = this.partners[mode]?.count(partner_id);
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
   * Counts a call with many items as running until nothing holds it, and adds the limit to the RateLimit headers, whose current draft has a
   * unit for calls that run at once. The other headers describe one limit alone: that of {@link partnerCalls}.
   * @throws TooManyRequests
   */
  runningCall({ partner_id }: PartnerContext, reply: FastifyReply): RunningCall {
    const call = this.running.begin(partner_id);
    addItem(reply, 'RateLimit-Policy', `"running";q=${MAX_RUNNING};qu="concurrent-requests"`);
    addItem(reply, 'RateLimit', `"running";r=${this.running.left(partner_id)}`);
    return call ?? this.refuse('running', RUNNING_RETRY_SECONDS, TOO_MANY_RUNNING);
  }

  /**
   * Returns what the check of a key or token returns. If the check fails with 401, the failure is counted for the address, as IPv6 for its
   * /64 network. Every key and token is checked, so that no caller can lock out another one behind the same address.
   *
   * A guess beyond the limit costs what one below it costs: a hash, and for a well-formed key a query by a unique index. Most of that is the
   * cost of any request: with 12,000 malformed keys a second, which need no query, the p50 of a lookup rose from 2 to 13 ms on two cores, and
   * with 5,000 well-formed ones to 22 ms. The guesser gains nothing, because a key has 220 random bits.
   * @throws TooManyRequests instead of a 401 beyond the limit, and every other error of the check
   */
  async authentication<T>(address: string, check: () => T | Promise<T>): Promise<T> {
    try {
      return await check();
    } catch (error) {
      if (error instanceof ApiError && ERRORS[error.code].status === 401)
        this.refuseBeyond('failed_authentication', this.failures, networkOf(address));
      throw error;
    }
  }

  /** Counts a profile page that an address retrieves, as IPv6 its /64 network. @throws TooManyRequests */
  profilePage(address: string): void {
    this.refuseBeyond('profile_page', this.pages, networkOf(address));
  }

  /** Counts a read of the tree of the log by an address, as IPv6 of its /64 network. @throws TooManyRequests */
  logRead(address: string): void {
    this.refuseBeyond('log', this.logReads, networkOf(address));
  }

  private refuseBeyond(name: RateLimitName, limit: CallCounter | undefined, key: string): void {
    const usage = limit?.count(key);
    if (usage?.exceeded) this.refuse(name, usage.resetSeconds);
  }

  private refuse(limit: RateLimitName, retryAfterSeconds: number, message?: string): never {
    this.metrics.rateLimited(limit);
    throw new TooManyRequests(retryAfterSeconds, message);
  }
}

/** Adds an item to a header whose value is a list. */
function addItem(reply: FastifyReply, name: string, item: string): void {
  const others = reply.getHeader(name);
  reply.header(name, others === undefined ? item : `${String(others)}, ${item}`);
}

function counter(limit: number, windowMs: number): CallCounter | undefined {
  return limit === 0 ? undefined : new CallCounter(limit, windowMs);
}

interface Usage {
  readonly limit: number;
  readonly left: number;
  readonly resetSeconds: number;
  readonly exceeded: boolean;
}

interface Window {
  calls: number;
  /** Milliseconds of the counter's clock. */
  readonly endsAt: number;
}

/** More callers than any instance serves in a window. Beyond it, the counter forgets the callers whose windows end first. */
const MAX_CALLERS = 100_000;

/**
 * Counts the calls of each caller in fixed windows, which begin with a caller's first call. Its memory is bounded, and a change of the wall
 * clock affects no window.
 */
export class CallCounter {
  /** All windows are equally long, so the one that began first ends first. */
  private readonly windows = new Map<string, Window>();

  /** @param now milliseconds of a clock that never goes back */
  constructor(
    private readonly limit: number,
    private readonly windowMs: number,
    private readonly now: () => number = () => performance.now(),
    private readonly maxCallers = MAX_CALLERS,
  ) {}

  /** The number of callers that the counter remembers. */
  get callers(): number {
    return this.windows.size;
  }

  /** Counts a call. */
  count(caller: string): Usage {
    const now = this.now();
    const window = this.windowOf(caller, now) ?? this.begin(caller, now);
    window.calls += 1;
    return this.usageIn(window, now);
  }

  private windowOf(caller: string, now: number): Window | undefined {
    const window = this.windows.get(caller);
    return window && window.endsAt > now ? window : undefined;
  }

  private usageIn({ calls, endsAt }: Window, now: number): Usage {
    return {
      limit: this.limit,
      left: Math.max(this.limit - calls, 0),
      resetSeconds: Math.max(1, Math.ceil((endsAt - now) / 1_000)),
      exceeded: calls > this.limit,
    };
  }

  private begin(caller: string, now: number): Window {
    this.windows.delete(caller);
    for (const [other, { endsAt }] of this.windows) {
      if (endsAt > now && this.windows.size < this.maxCallers) break;
      this.windows.delete(other);
    }
    const window = { calls: 0, endsAt: now + this.windowMs };
    this.windows.set(caller, window);
    return window;
  }
}
