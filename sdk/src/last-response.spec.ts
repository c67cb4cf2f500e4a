import { describe, expect, it } from '@jest/globals';
import { failure, json, ok, scriptedFetch, type Step } from '../../test/support/unit/scripted-fetch.js';
import { RupaClient, type RupaError } from './index.js';

function clientOf(steps: readonly Step[]) {
  const { fetch, sent } = scriptedFetch(...steps);
  return { client: new RupaClient({ apiKey: 'k', baseUrl: 'https://api.example', fetch, sleep: () => Promise.resolve() }), sent };
}

const identity = (value: unknown): unknown => value;

describe('a response', () => {
  const HEADERS = {
    'X-Request-Id': 'r-1',
    'Idempotent-Replayed': 'true',
    'RateLimit-Limit': '100',
    'RateLimit-Remaining': '99',
    'RateLimit-Reset': '1',
  };
  const FACTS = { requestId: 'r-1', isReplayed: true, rateLimit: { limit: 100, remaining: 99, resetMs: 1_000 } };

  it('is on the result, where only those find it who ask for it', async () => {
    const { client } = clientOf([json(200, { data: { rupa_id: 'rp-1' } }, HEADERS)]);
    const result = await client.lookup({ rupa_id: 'rp-1' });
    expect(result.lastResponse).toStrictEqual({ status: 200, ...FACTS });
    expect(JSON.stringify(result)).toBe('{"rupa_id":"rp-1"}');
    expect({ ...result }).not.toHaveProperty('lastResponse');
  });

  it('is on each page of a list', async () => {
    const page = (next_cursor: string | null, id: string) =>
      json(200, { data: { lookups: [], next_cursor } }, { ...HEADERS, 'X-Request-Id': id });
    const { client } = clientOf([page('c-1', 'r-1'), page(null, 'r-2')]);
    const found: (string | null)[] = [];
    for await (const { lastResponse } of client.lookups.list().pages()) found.push(lastResponse.requestId);
    expect(found).toStrictEqual(['r-1', 'r-2']);
  });

  it('is on an error', async () => {
    const { client } = clientOf([failure(402, 'insufficient_balance', HEADERS), json(200, null, HEADERS)]);
    await expect(client.lookup({ rupa_id: 'rp-1' })).rejects.toMatchObject({ requestId: 'r-1', lastResponse: { status: 402, ...FACTS } });
    await expect(client.me()).rejects.toMatchObject({ name: 'RupaUnexpectedResponseError', lastResponse: { status: 200, ...FACTS } });
  });

  it('is on the error of a body that is cut off, and on none without a response', async () => {
    const body = new ReadableStream({
      pull: (controller) => {
        controller.error(new Error('other side closed'));
      },
    });
    const { client } = clientOf([new Response(body, { headers: HEADERS }), new TypeError('fetch failed')]);
    const errors = [await client.me({ maxRetries: 0 }).catch(identity), await client.me({ maxRetries: 0 }).catch(identity)];
    expect(errors).toMatchObject([
      { name: 'RupaConnectionError', lastResponse: { status: 200, ...FACTS } },
      { name: 'RupaConnectionError' },
    ]);
    expect((errors[1] as RupaError).lastResponse).toBeUndefined();
  });

  it('states nothing that its headers do not', async () => {
    const { client } = clientOf([ok({}), json(200, { data: {} }, { ...HEADERS, 'RateLimit-Reset': 'soon' })]);
    expect((await client.me()).lastResponse).toStrictEqual({ status: 200, requestId: null, isReplayed: false, rateLimit: null });
    expect((await client.me()).lastResponse.rateLimit).toBeNull();
  });
});

describe('a request id', () => {
  it('is sent with every attempt', async () => {
    const requestId = '5d8ad1a0-7b4c-4c33-9a59-3f1f0d1f2c11';
    const { client, sent } = clientOf([failure(503, 'unavailable'), ok({}), ok({})]);
    await client.me({ requestId });
    await client.me();
    expect(sent.map(({ headers }) => headers.get('X-Request-Id'))).toStrictEqual([requestId, requestId, null]);
  });

  it('is refused if it is no UUID, which the service would ignore', async () => {
    const { client, sent } = clientOf([]);
    await expect(client.me({ requestId: 'loan-4711' })).rejects.toThrow(/^requestId is "loan-4711", but must be a UUID/);
    expect(sent).toHaveLength(0);
  });
});
