import { lookup } from 'node:dns/promises';
import { Agent } from 'undici';
import { checkedLookup, type Resolve } from './checked-lookup.js';
import { DeliveryFailed, failureOf } from './delivery-failed.js';
import { Exchange } from './exchange.js';
import { isPublicAddress } from './public-address.js';
import { checkUrl, type UrlRules } from './webhook-url.js';

export interface PostRequest extends UrlRules {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Time limit in milliseconds, from the DNS lookup to the last byte of the response. */
  readonly timeoutMs: number;
}

export interface Posted {
  readonly status: number;
  /** Value of the Retry-After header; undefined if it is missing or too long to be a date or a number. */
  readonly retryAfter: string | undefined;
  readonly durationMs: number;
}

const RETRY_AFTER_CHARACTERS_MAX = 64;
const KEEP_ALIVE_MS = 4_000;
/** Time limit of connecting. It ends abandoned attempts, because undici aborts a request only after it has connected. */
const CONNECT_MS_MAX = 10_000;
/** Milliseconds before the next address of a name is tried. Node's default of 250 ms is too short for a receiver on another continent. */
const ADDRESS_ATTEMPT_MS = 1_500;

/** Posts to URLs that partners registered. It never connects to an address that isPublicAddress() refuses, unless a request allows it. */
export class Egress {
  private readonly posts = new Set<Promise<Posted>>();
  private closed = false;
  /** Two agents, so that a checked request never reuses a pooled connection that was made without the check. */
  private readonly publicOnly: Agent;
  private readonly anywhere: Agent;

  constructor(resolve: Resolve = (hostname) => lookup(hostname, { all: true })) {
    this.publicOnly = agentFor(resolve, isPublicAddress);
    this.anywhere = agentFor(resolve, () => true);
  }

  /**
   * Posts and returns the response of any status. Redirects are not followed. At most 64 KiB of the response body are read and discarded.
   * @throws DeliveryFailed if there is no complete response
   */
  async post(request: PostRequest): Promise<Posted> {
    if (this.closed) throw new Error('The egress is closed');
    const post = this.attempt(request);
    this.posts.add(post);
    try {
      return await post;
    } finally {
      this.posts.delete(post);
    }
  }

  /** Waits for the posts in flight, each of which has a time limit, and closes the connections. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.posts);
    await this.destroy();
  }

  /** Closes the connections and aborts the posts in flight. */
  async destroy(): Promise<void> {
    this.closed = true;
    await Promise.all([this.publicOnly.destroy(), this.anywhere.destroy()]);
  }

  private async attempt(request: PostRequest): Promise<Posted> {
    const startedAt = performance.now();
    const durationMs = (): number => Math.round(performance.now() - startedAt);
    const checked = checkUrl(request.url, request);
    if (!checked.ok) throw new DeliveryFailed(checked.code, durationMs());
    const { origin, pathname, search } = checked.url;
    const agent = request.allowPrivateNetworks ? this.anywhere : this.publicOnly;
    const exchange = new Exchange(request.timeoutMs);
    agent.dispatch({ origin, path: pathname + search, method: 'POST', headers: request.headers, body: request.body }, exchange);
    try {
      await exchange.ended();
    } catch (error) {
      throw new DeliveryFailed(failureOf(error), durationMs(), exchange.status);
    }
    return { status: exchange.status ?? 0, retryAfter: retryAfterOf(exchange.retryAfter), durationMs: durationMs() };
  }
}

/**
 * Creates an agent for HTTP/1.1 only, so that aborting a request closes a connection that no other request uses. The agent has no time
 * limits for responses, because each request has its own.
 */
function agentFor(resolve: Resolve, isAllowed: (address: string) => boolean): Agent {
  return new Agent({
    allowH2: false,
    connect: {
      lookup: checkedLookup(resolve, isAllowed),
      timeout: CONNECT_MS_MAX,
      autoSelectFamily: true,
      autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
    },
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
}

function retryAfterOf(header: string | string[] | undefined): string | undefined {
  const value = Array.isArray(header) ? header[0] : header;
  return value !== undefined && value.length <= RETRY_AFTER_CHARACTERS_MAX ? value : undefined;
}
