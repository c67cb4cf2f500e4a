import { lookup } from 'node:dns/promises';
import { Agent as HttpAgent, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { DeliveryFailed, failureOf, StepFailed } from './delivery-failed.js';
import { type Response, responseTo } from './exchange.js';
import { isPublicAddress } from './public-address.js';
import { checkUrl, type UrlRules } from './webhook-url.js';
import { isIP, type LookupFunction } from 'node:net';

export interface PostRequest extends UrlRules {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Time limit in milliseconds, from the DNS lookup to the last byte of the response's headers. */
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
/** Milliseconds before the next address of a name is tried. Node's default of 250 ms is too short for a receiver on another continent. */
const ADDRESS_ATTEMPT_MS = 1_500;

/** Posts to URLs that partners registered. It never connects to an address that isPublicAddress() refuses, unless a request allows it. */
export class Egress {
  private readonly posts = new Set<Promise<Posted>>();
  private closed = false;
  /** Two pairs of agents, so that a checked request never reuses a pooled connection that was made without the check. */
  private readonly publicOnly: Agents;
  private readonly anywhere: Agents;

  constructor(resolve: Resolve = (hostname) => lookup(hostname, { all: true })) {
    this.publicOnly = agentsFor(resolve, isPublicAddress);
    this.anywhere = agentsFor(resolve, () => true);
  }

  /**
   * Posts and returns the response of any status. Redirects are not followed. At most 64 KiB of the response body are read and discarded.
   * @throws DeliveryFailed if there is no response
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
    this.destroy();
  }

  /** Closes the connections and aborts the posts in flight. */
  destroy(): void {
    this.closed = true;
    for (const { http, https } of [this.publicOnly, this.anywhere]) {
      http.destroy();
      https.destroy();
    }
  }

  private async attempt(request: PostRequest): Promise<Posted> {
    const startedAt = performance.now();
    const durationMs = (): number => Math.round(performance.now() - startedAt);
    const checked = checkUrl(request.url, request);
    if (!checked.ok) throw new DeliveryFailed(checked.code, durationMs());
    const { url } = checked;
    const { http, https } = request.allowPrivateNetworks ? this.anywhere : this.publicOnly;
    const options = { method: 'POST', headers: request.headers };
    const posting =
      url.protocol === 'https:' ? requestHttps(url, { ...options, agent: https }) : requestHttp(url, { ...options, agent: http });
    const responding = responseTo(posting, request.timeoutMs);
    posting.end(request.body);
    let response: Response;
    try {
      response = await responding;
    } catch (error) {
      throw new DeliveryFailed(failureOf(error), durationMs());
    }
    return { status: response.status, retryAfter: retryAfterOf(response.retryAfter), durationMs: durationMs() };
  }
}

interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** Creates agents whose connections stay open for a short time after a response. */
function agentsFor(resolve: Resolve, isAllowed: (address: string) => boolean): Agents {
  const options = {
    keepAlive: true,
    timeout: KEEP_ALIVE_MS,
    lookup: checkedLookup(resolve, isAllowed),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
  };
  return { http: new HttpAgent(options), https: new HttpsAgent(options) };
}

function retryAfterOf(value: string | undefined): string | undefined {
  return value !== undefined && value.length <= RETRY_AFTER_CHARACTERS_MAX ? value : undefined;
}

/** Resolves a host name to all its addresses. */
type Resolve = (hostname: string) => Promise<readonly { readonly address: string }[]>;

type Address = { address: string; family: number };

/**
 * Returns the `lookup` hook of a socket. The socket connects to exactly the addresses that were checked here, so a DNS change in between
 * has no effect (DNS rebinding). A name with any address that is not allowed is refused, because a retry could connect to that address.
 */
function checkedLookup(resolve: Resolve, isAllowed: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolveAllowed(hostname, resolve, isAllowed).then(
      ([first, ...others]) => {
        if (options.all === true) callback(null, [first, ...others]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => {
        callback(error as Error, []);
      },
    );
  };
}

async function resolveAllowed(
  hostname: string,
  resolve: Resolve,
  isAllowed: (address: string) => boolean,
): Promise<[Address, ...Address[]]> {
  const found = await resolve(hostname).catch(() => []);
  const [first, ...others] = found.map(({ address }) => ({ address, family: isIP(address) }));
  if (first === undefined) throw new StepFailed('dns');
  if (![first, ...others].every(({ address }) => isAllowed(address))) throw new StepFailed('address_refused');
  return [first, ...others];
}
