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
  /** For everything from the name to the body's last byte. */
  readonly timeoutMs: number;
}

export interface Posted {
  readonly status: number;
  /** As it came, where it is of a length that a date or a number can have. */
  readonly retryAfter: string | undefined;
  readonly durationMs: number;
}

const RETRY_AFTER_CHARACTERS_MAX = 64;
const KEEP_ALIVE_MS = 4_000;
/** What abandoned attempts are ended by: undici heeds a request's signal only once it is connected. */
const CONNECT_MS_MAX = 10_000;
/** Node's 250 ms give up on the first of two addresses wherever another continent is further away. */
const ADDRESS_ATTEMPT_MS = 1_500;

/** Posts to URLs that customers typed in. Nothing that it does reaches an address that isPublicAddress() refuses, unless a request allows it. */
export class Egress {
  private readonly posts = new Set<Promise<Posted>>();
  private closed = false;
  /** Two, so that a connection made without the check is never one that a checked request finds in its pool. */
  private readonly publicOnly: Agent;
  private readonly anywhere: Agent;

  constructor(resolve: Resolve = (hostname) => lookup(hostname, { all: true })) {
    this.publicOnly = agentFor(resolve, isPublicAddress);
    this.anywhere = agentFor(resolve, () => true);
  }

  /**
   * A status of whatever kind is an answer; redirects are not followed. The answer's body is read up to 64 KiB and thrown away.
   * @throws DeliveryFailed where no whole answer came
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

  /** Waits for the posts that are under way, each of which has its time limit. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.allSettled(this.posts);
    await this.destroy();
  }

  /** Ends the posts that are under way, too. */
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

/** HTTP/1.1 only: ending a request then ends its connection, and nothing else's. A request's own limit is the only one on its answer. */
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
