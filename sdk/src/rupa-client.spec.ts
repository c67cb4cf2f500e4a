import { describe, expect, it } from '@jest/globals';
import { inspect } from 'node:util';
import { failure, json, ok, scriptedFetch, type SentRequest, type Step } from '../../test/support/unit/scripted-fetch.js';
import { PARTNER_ERRORS } from '../../src/http/errors/error-codes.js';
import * as sdk from './index.js';
import {
  type CallOptions,
  ConsentNotFoundError,
  InsufficientBalanceError,
  RateLimitedError,
  RupaApiError,
  RupaClient,
  type RupaClientOptions,
  RupaConnectionError,
  RupaError,
  RupaTimeoutError,
  RupaUnexpectedResponseError,
  ValidationFailedError,
} from './index.js';

const KEY = 'rupa_key_secret';

function clientOf(steps: readonly Step[], options: Partial<RupaClientOptions> = {}) {
  const { fetch, sent } = scriptedFetch(...steps);
  const waits: number[] = [];
  const client = new RupaClient({
    apiKey: KEY,
    baseUrl: 'https://api.example/base/',
    fetch,
    random: () => 0,
    sleep: (milliseconds) => {
      waits.push(milliseconds);
      return Promise.resolve();
    },
    ...options,
  });
  return { client, sent, waits };
}

const keysOf = (sent: readonly SentRequest[]): (string | null)[] => sent.map(({ headers }) => headers.get('Idempotency-Key'));
const lookUp = (client: RupaClient, options?: CallOptions) => client.lookup({ rupa_id: 'rp-1', sections: ['identity'] }, options);

describe('a request', () => {
  it('carries the key, the body, a User-Agent and an Idempotency-Key of its own', async () => {
    const { client, sent } = clientOf([ok({ rupa_id: 'rp-1' }), ok({})]);
    expect(await lookUp(client)).toStrictEqual({ rupa_id: 'rp-1' });
    await lookUp(client);
    expect(sent[0]).toMatchObject({ method: 'POST', url: 'https://api.example/base/v1/rupa/lookup' });
    expect(JSON.parse(sent[0]?.body ?? '')).toStrictEqual({ rupa_id: 'rp-1', sections: ['identity'] });
    expect(Object.fromEntries(sent[0]?.headers ?? [])).toStrictEqual({
      accept: 'application/json',
      'content-type': 'application/json',
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'user-agent': expect.stringMatching(/^rupa-client-js\/\d+\.\d+\.\d+ \(node\/\d+\.\d+\.\d+\)$/),
      'x-api-key': KEY,
    });
    const [first, second] = keysOf(sent);
    expect(second).not.toBe(first);
  });

  it('uses the caller’s Idempotency-Key, and none for a GET', async () => {
    const { client, sent } = clientOf([ok({}), ok({})]);
    await lookUp(client, { idempotencyKey: 'loan-4711' });
    await client.me();
    expect(keysOf(sent)).toStrictEqual(['loan-4711', null]);
  });

  it('encodes ids in paths, and leaves out parameters that are not given', async () => {
    const { client, sent } = clientOf([ok({}), ok({ lookups: [], next_cursor: null })]);
    await client.consents.release('rp-1/../x');
    await client.lookups.list({ limit: 5 }).page();
    expect(sent.map(({ url }) => url)).toStrictEqual([
      'https://api.example/base/v1/rupa/consents/rp-1%2F..%2Fx',
      'https://api.example/base/v1/rupa/lookups?limit=5',
    ]);
  });

  it('is not redirected to another host', async () => {
    const { client, sent } = clientOf([new Response(null, { status: 302, headers: { Location: 'https://elsewhere.example/' } })]);
    await expect(client.me()).rejects.toThrow(/redirects to https:\/\/elsewhere\.example\/\. Set baseUrl/);
    expect(sent).toHaveLength(1);
  });
});

describe('a retry', () => {
  it('follows a lost connection, 500, 503 and 429 with the same Idempotency-Key and body, and waits longer each time', async () => {
    const failures = [new TypeError('fetch failed'), failure(500, 'internal_error'), failure(503, 'unavailable')];
    const { client, sent, waits } = clientOf([...failures, ok({ rupa_id: 'rp-1' })]);
    expect(await lookUp(client)).toStrictEqual({ rupa_id: 'rp-1' });
    expect(new Set(keysOf(sent)).size).toBe(1);
    expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
    expect(waits).toStrictEqual([250, 500, 1_000]);
  });

  it('waits for Retry-After', async () => {
    const { client, waits } = clientOf([failure(429, 'rate_limited', { 'Retry-After': '7' }), ok({})]);
    await client.me();
    expect(waits).toStrictEqual([7_000]);
  });

  it('is left to the caller if Retry-After is more than a minute', async () => {
    const { client, waits } = clientOf([failure(429, 'rate_limited', { 'Retry-After': '61' })]);
    const error = await client.me().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({ retryAfterMs: 61_000 });
    expect(waits).toStrictEqual([]);
  });

  it('ends after maxRetries, of the call or of the client, with the last error', async () => {
    const steps = (): Step[] => Array.from({ length: 9 }, () => failure(503, 'unavailable'));
    const { client, sent } = clientOf(steps());
    await expect(client.me()).rejects.toMatchObject({ code: 'unavailable' });
    expect(sent).toHaveLength(4);
    const once = clientOf(steps());
    await expect(once.client.me({ maxRetries: 0 })).rejects.toMatchObject({ code: 'unavailable' });
    expect(once.sent).toHaveLength(1);
    const twice = clientOf(steps(), { maxRetries: 1 });
    await expect(twice.client.me()).rejects.toMatchObject({ code: 'unavailable' });
    expect(twice.sent).toHaveLength(2);
  });

  it('is not made of a request that cannot succeed', async () => {
    const { client, sent } = clientOf([failure(404, 'consent_not_found')]);
    await expect(client.consents.release('rp-1')).rejects.toBeInstanceOf(ConsentNotFoundError);
    expect(sent).toHaveLength(1);
  });

  it('is not made after the signal', async () => {
    const controller = new AbortController();
    const { client, sent } = clientOf([failure(503, 'unavailable')], {
      sleep: (_milliseconds, signal) => {
        controller.abort(new Error('shutting down'));
        return Promise.reject(signal?.reason as Error);
      },
    });
    await expect(client.me({ signal: controller.signal })).rejects.toThrow('shutting down');
    expect(sent).toHaveLength(1);
    await expect(client.me({ signal: controller.signal })).rejects.toThrow('shutting down');
    expect(sent).toHaveLength(1);
  });
});

describe('an attempt', () => {
  const never: Step = (init) =>
    new Promise((_resolve, reject) => {
      init.signal?.addEventListener('abort', () => {
        reject(init.signal?.reason as Error);
      });
    });

  it('ends after timeoutMs and is retried', async () => {
    const { client, sent } = clientOf([never, ok({ status: 'active' })], { timeoutMs: 5 });
    expect(await client.me()).toStrictEqual({ status: 'active' });
    expect(sent).toHaveLength(2);
    const alone = clientOf([never]);
    await expect(alone.client.me({ timeoutMs: 5, maxRetries: 0 })).rejects.toBeInstanceOf(RupaTimeoutError);
  });

  it('ends with the reason of the signal, and is not retried', async () => {
    const controller = new AbortController();
    const { client, sent } = clientOf([
      (init) => {
        queueMicrotask(() => {
          controller.abort(new Error('shutting down'));
        });
        return never(init);
      },
    ]);
    await expect(client.me({ signal: controller.signal })).rejects.toThrow('shutting down');
    expect(sent).toHaveLength(1);
  });

  it('is not sent if the signal ends it before it is', async () => {
    const controller = new AbortController();
    const { client, sent } = clientOf([never]);
    const call = client.me({ signal: controller.signal });
    controller.abort(new Error('shutting down'));
    await expect(call).rejects.toThrow('shutting down');
    expect(sent).toHaveLength(0);
  });
});

describe('an error', () => {
  it('has the class of its code, with the facts of the response', async () => {
    const data = { required_amount: 380, shortfall: 80 };
    const { client } = clientOf([failure(402, 'insufficient_balance', { 'X-Request-Id': 'r-1' }, data)]);
    const error = await lookUp(client).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(InsufficientBalanceError);
    expect(error).toBeInstanceOf(RupaApiError);
    expect(error).toMatchObject({ name: 'InsufficientBalanceError', status: 402, code: 'insufficient_balance', data, requestId: 'r-1' });
  });

  it.each([
    ['exhausted retries', () => failure(503, 'unavailable')],
    ['a connection that fails', () => () => Promise.reject(new TypeError('fetch failed'))],
    ['a response that is not of the service', () => () => Promise.resolve(new Response('<html>', { status: 502 }))],
    ['an error that is not retried', () => failure(402, 'insufficient_balance')],
  ] as [string, () => Step][])('of a POST has the key of its attempts after %s', async (_name, step) => {
    const { client, sent } = clientOf([step(), step()]);
    const error = await lookUp(client, { maxRetries: 1 }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RupaError);
    expect([...new Set(keysOf(sent))]).toStrictEqual([(error as RupaError).idempotencyKey]);
    expect((error as RupaError).idempotencyKey).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('of a GET has no key', async () => {
    const { client } = clientOf([failure(404, 'lookup_not_found')]);
    const error = await client.me({ maxRetries: 0 }).catch((caught: unknown) => caught);
    expect((error as RupaError).idempotencyKey).toBeUndefined();
  });

  it('names the fields that failed validation', async () => {
    const { client } = clientOf([failure(422, 'validation_failed', {}, { errors: { rupa_id: ['The rupa id field is required.'] } })]);
    const error = await lookUp(client).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ValidationFailedError);
    expect((error as ValidationFailedError).fieldErrors).toStrictEqual({ rupa_id: ['The rupa id field is required.'] });
  });

  it('exists for every code of the interface', async () => {
    for (const [code, { status }] of Object.entries(PARTNER_ERRORS)) {
      const { client } = clientOf([failure(status, code)]);
      const error = await client.me({ maxRetries: 0 }).catch((caught: unknown) => caught as RupaApiError);
      expect(error).toMatchObject({ code, status });
      const { name } = error as RupaApiError;
      expect(error.constructor).toBe((sdk as Readonly<Record<string, unknown>>)[name]);
      expect(name.toLowerCase()).toBe(`${code.replaceAll('_', '').replace(/error$/, '')}error`);
    }
  });

  it('of a code that this version does not know is a RupaApiError', async () => {
    const { client } = clientOf([failure(418, 'teapot')]);
    await expect(client.me()).rejects.toMatchObject({ name: 'RupaApiError', code: 'teapot', status: 418 });
  });

  it('tells a response that is not of the service, and retries that of a proxy', async () => {
    const page = (status: number): Response => new Response('<html>', { status });
    const { client, sent } = clientOf([page(502), page(200)]);
    const error = await client.me().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RupaUnexpectedResponseError);
    expect((error as Error).message).toContain('Check baseUrl.');
    expect(sent).toHaveLength(2);
    await expect(clientOf([json(200, null)]).client.me()).rejects.toBeInstanceOf(RupaUnexpectedResponseError);
    await expect(clientOf([json(404, [])]).client.me()).rejects.toBeInstanceOf(RupaUnexpectedResponseError);
  });

  it('of a connection names its innermost cause', async () => {
    const refused = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:1') });
    const { client } = clientOf([refused]);
    const error = await client.me({ maxRetries: 0 }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RupaConnectionError);
    expect((error as Error).message).toBe('No response to GET https://api.example/base/v1/rupa/me: connect ECONNREFUSED 127.0.0.1:1');
  });
});

describe('the client', () => {
  it.each(['with space', 'line\nbreak'])('refuses the key %j without showing it', (apiKey) => {
    const make = (): RupaClient => new RupaClient({ apiKey, baseUrl: 'https://api.example' });
    expect(make).toThrow('apiKey contains a character that no API key has, such as a space or a line break. Pass the key as you got it.');
  });

  it.each([undefined, null, ''])('refuses the missing key %j and says where to look', (apiKey) => {
    const make = (): RupaClient => new RupaClient({ apiKey: apiKey as string, baseUrl: 'https://api.example' });
    expect(make).toThrow(TypeError);
    expect(make).toThrow(/^apiKey is missing\. Pass the key of your account, and check that the variable .* RUPA_API_KEY, is set\.$/);
  });

  it('refuses a key that is no text', () => {
    expect(() => new RupaClient({ apiKey: 7 as unknown as string, baseUrl: 'https://api.example' })).toThrow('apiKey is of type number.');
  });

  it.each([undefined, ''])('refuses the missing address %j and says where to look', (baseUrl) => {
    expect(() => new RupaClient({ apiKey: KEY, baseUrl })).toThrow(/^baseUrl is missing\. .* RUPA_URL, is set\.$/);
  });

  it.each(['api.example', 'ftp://api.example', 'https://api.example/?x=1'])('refuses the address %j', (baseUrl) => {
    expect(() => new RupaClient({ apiKey: KEY, baseUrl })).toThrow(/^baseUrl is /);
  });

  it.each(['https://user:pw-1@api.example', 'https://:pw-1@api.example'])(
    'refuses a password in its address without showing it',
    (baseUrl) => {
      const make = (): RupaClient => new RupaClient({ apiKey: KEY, baseUrl });
      expect(make).toThrow('baseUrl contains a user or a password. Pass the address alone.');
    },
  );

  it('does not show its key when it is printed', () => {
    const { client } = clientOf([]);
    expect(inspect(client, { depth: 10, showHidden: true })).not.toContain(KEY);
    expect(JSON.stringify(client)).not.toContain(KEY);
  });
});
