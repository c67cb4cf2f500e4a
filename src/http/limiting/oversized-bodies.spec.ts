import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import fastify, { type FastifyInstance } from 'fastify';
import { discardOversizedBodies } from './oversized-bodies.js';

const LIMIT = 1_000;
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

describe('a body that is larger than its route takes', () => {
  let app: FastifyInstance;
  beforeAll(async () => {
    app = fastify({ bodyLimit: 10 });
    discardOversizedBodies(app);
    for (const method of [...METHODS, 'GET'] as const) app.route({ method, url: '/', bodyLimit: LIMIT, handler: () => ({ served: true }) });
    await app.ready();
  });
  afterAll(() => app.close());

  const send = async (method: (typeof METHODS)[number] | 'GET', bytes: number, url = '/') => {
    const payload = `"${'x'.repeat(bytes - 2)}"`;
    const { statusCode, headers } = await app.inject({ method, url, payload, headers: { 'content-type': 'application/json' } });
    return { statusCode, isClosed: headers.connection === 'close' };
  };

  it('is refused after its end, so that a client that still sends sees the response, up to eight times the limit', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...METHODS), fc.integer({ min: LIMIT - 50, max: 10 * LIMIT }), async (method, bytes) => {
        expect(await send(method, bytes)).toStrictEqual({ statusCode: bytes > LIMIT ? 413 : 200, isClosed: bytes > 8 * LIMIT });
      }),
    );
  });

  it('is nothing to a call without a body, nor to an unknown path', async () => {
    expect(await send('GET', 2 * LIMIT)).toStrictEqual({ statusCode: 200, isClosed: false });
    expect((await send('GET', 2 * LIMIT, '/unknown')).statusCode).toBe(404);
  });
});
