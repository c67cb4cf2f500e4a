import { ERROR_CLASSES } from './error-classes.generated.js';
import { RupaApiError } from './rupa-api-error.js';
import { RupaConnectionError, RupaError, RupaTimeoutError, RupaUnexpectedResponseError, withLastResponse } from './rupa-error.js';
import { delayBeforeRetry, isRetryable, LONGEST_RETRY_AFTER_MS, parseRetryAfter, sleep } from './retry.js';
import { lastResponseOf, withResponse, type WithResponse } from './last-response.js';
import { reasonOf } from './reason-of.js';
import { linesOf } from './response-lines.js';
import { userAgent } from './runtime.js';
import { Throttle } from './throttle.js';

export interface RupaClientOptions {
  /** The API key of your account, `rupa_key_…`. The constructor refuses undefined, so that a variable of the environment can be passed as it is. */
  readonly apiKey: string | undefined;
  /** The address of the service, such as `https://api.rupa.example`. The constructor refuses undefined. */
  readonly baseUrl: string | undefined;
  /** Milliseconds that an attempt may take. Default: 30,000. */
  readonly timeoutMs?: number;
  /** How often a failed attempt is repeated. Default: 3. */
  readonly maxRetries?: number;
  /**
   * Whether to wait, at most for `timeoutMs`, before an attempt that the service would refuse with 429, by the `RateLimit` headers of earlier
   * responses. Default: true.
   */
  readonly throttle?: boolean;
  /** Sends the requests instead of the global `fetch`, for example through a proxy. */
  readonly fetch?: typeof globalThis.fetch;
  /** Waits between attempts, for tests without delays. */
  readonly sleep?: typeof sleep;
  /** Returns a number from 0 up to 1, for tests without chance. */
  readonly random?: () => number;
}

export interface CallOptions {
  /** Ends the call, and any wait for another attempt, with the signal's reason. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly maxRetries?: number;
  /** The key of a POST. The client makes one unless you pass your own, such as the number of a loan application. */
  readonly idempotencyKey?: string;
  /** A UUID under which the service logs the call, the same in every attempt. Without one, the service makes one for each attempt. */
  readonly requestId?: string;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

export interface Request extends CallOptions {
  readonly query?: Query;
  readonly body?: object;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
interface Attempt {
  readonly url: string;
  readonly idempotencyKey: string | undefined;
  readonly init: RequestInit;
  readonly timeoutMs: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 3;
const UUID = /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i;

/** Sends requests: retries, time limits, idempotency keys, and errors by their code. */
export class Transport {
  // Private fields keep the key out of logs of the client object.
  readonly #options: RupaClientOptions;
  readonly #apiKey: string;
  readonly #baseUrl: string;
  readonly #throttle: Throttle | undefined;

  constructor(options: RupaClientOptions) {
    this.#options = options;
    this.#apiKey = validApiKey(options.apiKey);
    this.#baseUrl = validBaseUrl(options.baseUrl);
    this.#throttle = (options.throttle ?? true) ? new Throttle(options.sleep ?? sleep) : undefined;
  }

  /**
   * Sends a request and returns the `data` of its response.
   * @throws RupaApiError, RupaConnectionError, RupaTimeoutError, RupaUnexpectedResponseError, or the reason of the signal
   */
  async call<Response extends { data: object }>(
    method: Method,
    path: string,
    request: Request = {},
  ): Promise<WithResponse<Response['data']>> {
    return await this.#send(method, path, 'application/json', request, async (response) => {
      const body = (await response.json().catch(notJson)) as { data?: Response['data'] | null } | null | undefined;
      if (typeof body?.data !== 'object' || body.data === null)
        throw new RupaUnexpectedResponseError(unexpected(response), response.status);
      return withResponse(body.data, lastResponseOf(response));
    });
  }

  /** Sends a GET and returns the text of its response. @throws like {@link call} */
  async text(path: string, accept: string, request: Request = {}): Promise<string> {
    return await this.#send('GET', path, accept, request, (response) => response.text());
  }

  /** Sends a GET and returns the bytes of its response. @throws like {@link call} */
  async bytes(path: string, accept: string, request: Request = {}): Promise<Uint8Array> {
    return await this.#send('GET', path, accept, request, async (response) => new Uint8Array(await response.arrayBuffer()));
  }

  /**
   * Sends a GET and yields the lines of its response as they arrive. `timeoutMs` limits the time until the headers, and the signal ends it at
   * any time. @throws like {@link call}, and RupaConnectionError if the response is cut off
   */
  async *lines(path: string, accept: string, request: Request = {}): AsyncGenerator<string, void, undefined> {
    const response = await this.#send('GET', path, accept, request, (received) => Promise.resolve(received));
    yield* linesOf(response, request.signal);
  }

  async #send<T>(method: Method, path: string, accept: string, request: Request, read: (response: Response) => Promise<T>): Promise<T> {
    const { maxRetries = this.#options.maxRetries ?? DEFAULT_RETRIES, signal } = request;
    const attempt = this.#attempt(method, path, accept, request);
    for (let failures = 1; ; failures += 1) {
      try {
        return await this.#try(attempt, read, signal);
      } catch (error) {
        const waitMs = this.#delayAfter(error, failures);
        if (waitMs === null || failures > maxRetries) throw withKey(error, attempt);
        await (this.#options.sleep ?? sleep)(waitMs, signal);
      }
    }
  }

  /** Prepares what is the same in every attempt, above all the Idempotency-Key. Every POST of the interface takes one. */
  #attempt(method: Method, path: string, accept: string, { query = {}, body, idempotencyKey, requestId, timeoutMs }: Request): Attempt {
    if (requestId !== undefined && !UUID.test(requestId))
      throw new TypeError(`requestId is ${JSON.stringify(requestId)}, but must be a UUID, because the service ignores other ids.`);
    const url = new URL(this.#baseUrl + path);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    const headers: Record<string, string> = { 'X-API-KEY': this.#apiKey, Accept: accept, 'User-Agent': userAgent() };
    if (body) headers['Content-Type'] = 'application/json';
    const key = method === 'POST' ? (idempotencyKey ?? crypto.randomUUID()) : undefined;
    if (key !== undefined) headers['Idempotency-Key'] = key;
    if (requestId !== undefined) headers['X-Request-Id'] = requestId;
    return {
      url: url.href,
      idempotencyKey: key,
      // A followed redirect would send the key to another host.
      init: { method, headers, redirect: 'manual', ...(body ? { body: JSON.stringify(body) } : {}) },
      timeoutMs: timeoutMs ?? this.#options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    };
  }

  async #try<T>({ url, init, timeoutMs }: Attempt, read: (response: Response) => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    await this.#throttle?.begin(timeoutMs, signal);
    const controller = new AbortController();
    const abort = (): void => {
      controller.abort(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => {
      controller.abort(new RupaTimeoutError(`No complete response to ${init.method ?? ''} ${url} within ${timeoutMs} ms.`));
    }, timeoutMs);
    let response: Response | undefined;
    try {
      // The signal may have ended the call while it waited, before there was a listener.
      signal?.throwIfAborted();
      response = await (this.#options.fetch ?? fetch)(url, { ...init, signal: controller.signal });
      if (!response.ok) throw await errorOf(response);
      return await read(response);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      const known: unknown = controller.signal.aborted ? controller.signal.reason : error;
      if (known instanceof RupaError) throw withLastResponse(known, response && lastResponseOf(response));
      const message = `No response to ${init.method ?? ''} ${url}: ${reasonOf(error)}`;
      throw withLastResponse(new RupaConnectionError(message, { cause: error }), response && lastResponseOf(response));
    } finally {
      this.#throttle?.ended(response && lastResponseOf(response).rateLimit);
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Returns the milliseconds to wait before the next attempt; null if the same request cannot succeed, or not soon. */
  #delayAfter(error: unknown, failures: number): number | null {
    const delay = (retryAfterMs: number | null): number => delayBeforeRetry(failures, retryAfterMs, this.#options.random ?? Math.random);
    if (error instanceof RupaConnectionError || error instanceof RupaTimeoutError) return delay(null);
    if (error instanceof RupaUnexpectedResponseError) return isRetryable(error.status, undefined) ? delay(null) : null;
    if (!(error instanceof RupaApiError) || !isRetryable(error.status, error.code)) return null;
    return (error.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS ? null : delay(error.retryAfterMs);
  }
}

/** Adds the key of the call, without which the caller could repeat the call only as another one. */
function withKey(error: unknown, { idempotencyKey }: Attempt): unknown {
  return error instanceof RupaError && idempotencyKey !== undefined ? Object.assign(error, { idempotencyKey }) : error;
}

/** Programs without types may pass anything. No message shows a key. */
function validApiKey(apiKey: unknown): string {
  if (apiKey === undefined || apiKey === null || apiKey === '')
    throw new TypeError(
      'apiKey is missing. Pass the key of your account, and check that the variable that holds it, such as RUPA_API_KEY, is set.',
    );
  if (typeof apiKey !== 'string') throw new TypeError(`apiKey is of type ${typeof apiKey}. Pass the key of your account as a string.`);
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('apiKey contains a character that no API key has, such as a space or a line break. Pass the key as you got it.');
  return apiKey;
}

function validBaseUrl(baseUrl: string | undefined): string {
  if (baseUrl === undefined || baseUrl === '')
    throw new TypeError(
      'baseUrl is missing. Pass the address of the service, and check that the variable that holds it, such as RUPA_URL, is set.',
    );
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  // The message must not show a password.
  if (url && url.username + url.password !== '') throw new TypeError('baseUrl contains a user or a password. Pass the address alone.');
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '')
    throw new TypeError(`baseUrl is ${JSON.stringify(baseUrl)}, but must be an address such as https://api.rupa.example.`);
  return url.href.replace(/\/+$/, '');
}

async function errorOf(response: Response): Promise<RupaApiError | RupaUnexpectedResponseError> {
  const { status, headers } = response;
  const body = (await response.json().catch(notJson)) as
    { code?: unknown; message?: unknown; doc_url?: unknown; data?: unknown } | null | undefined;
  if (typeof body?.code !== 'string') return new RupaUnexpectedResponseError(unexpected(response), status);
  const Class = (ERROR_CLASSES as Readonly<Record<string, typeof RupaApiError>>)[body.code] ?? RupaApiError;
  return new Class({
    status,
    code: body.code,
    message: String(body.message),
    data: typeof body.data === 'object' && body.data !== null ? (body.data as Record<string, unknown>) : {},
    docUrl: typeof body.doc_url === 'string' ? body.doc_url : null,
    requestId: headers.get('X-Request-Id'),
    retryAfterMs: parseRetryAfter(headers.get('Retry-After'), Date.now()),
  });
}

/** Tells a body that is no JSON, which is undefined, from a connection that ended while the body was read, which is an error. */
function notJson(error: unknown): undefined {
  if ((error as Error).name !== 'SyntaxError') throw error;
}

function unexpected({ status, url, headers }: Response): string {
  const location = headers.get('Location');
  if (location !== null) return `${url} redirects to ${location}. Set baseUrl to the service's own address.`;
  return `The response with status ${status} of ${url} is not one of the service. Check baseUrl.`;
}
