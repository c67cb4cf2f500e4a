import { afterEach, describe, expect, it } from '@jest/globals';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { setImmediate } from 'node:timers/promises';
import { request as httpRequest } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Registry } from 'prom-client';
import { from, lastValueFrom } from 'rxjs';
import { type ExecutionContext } from '@nestjs/common';
import { type ApiKeyHolders, PartnerAuthentication } from '../authenticating/partner-authentication.js';
import { type PartnerContext } from '../authenticating/partner-context.js';
import { HttpMetrics } from '../observe-requests.js';
import {
  acceptLists,
  type CountedRequest,
  HoldsRunningCall,
  MAX_LIST_BYTES,
  MAX_RUNNING,
  RunningCalls,
  TOO_MANY_RUNNING,
} from './many-at-once.js';
import { type RouteRules } from '../route-rules.js';
import { RateLimits, TooManyRequests } from './rate-limits.js';

const PARTNER = { partner_id: 'p-1', mode: 'live', status: 'active', ip_allow_list: [] } as unknown as PartnerContext;

describe('calls that are running', () => {
  it('are counted for each partner, and end once nothing holds them', () => {
    const calls = new RunningCalls(2);
    const [first, second] = [calls.begin('p-1'), calls.begin('p-1')];
    expect([calls.begin('p-1'), calls.left('p-1'), calls.left('p-2')]).toStrictEqual([undefined, 0, 2]);
    const [response, handler] = [first?.hold(), first?.hold()];
    response?.();
    response?.();
    expect(calls.left('p-1')).toBe(0);
    handler?.();
    expect(calls.left('p-1')).toBe(1);
    second?.hold()();
    expect(calls.left('p-1')).toBe(2);
  });
});

/** Sends calls until one is admitted; the test's own timeout ends the wait. */
async function untilAdmitted(post: () => Promise<Response>): Promise<void> {
  while ((await post()).status !== 200) await setImmediate();
}

describe('a route that takes many items', () => {
  let server: FastifyInstance;
  afterEach(() => server.close());

  /** Starts a server with a route whose handler is `handle`, behind the admission of the service. */
  const start = async (
    handle: (request: CountedRequest, reply: FastifyReply) => Promise<unknown>,
    rateLimitPerSecond = 0,
  ): Promise<{ url: string; post: (body?: string) => Promise<Response> }> => {
    server = fastify({ forceCloseConnections: true, bodyLimit: 64 * 1024 });
    acceptLists(server);
    const found = { hashOf: () => 'hash', holderOf: () => Promise.resolve({ kind: 'partner', partner: PARTNER }) };
    const holders = found as unknown as ApiKeyHolders;
    const options = { rateLimitPerSecond: { live: rateLimitPerSecond, sandbox: 0 }, failedAuthenticationsPerMinute: 0 };
    const partners = new PartnerAuthentication(holders, new RateLimits(options, new HttpMetrics(new Registry())));
    server.addHook('onRequest', (request, reply) => partners.admit(request, reply));
    server.setErrorHandler(async (error, _request, reply) => {
      const status = error instanceof TooManyRequests ? 429 : ((error as { statusCode?: number }).statusCode ?? 500);
      await reply.status(status).send({ message: error instanceof TooManyRequests ? error.told : '' });
    });
    const holds = new HoldsRunningCall();
    server.post('/many', { config: { takesMany: true } satisfies RouteRules }, async (request, reply) => {
      const context = { switchToHttp: () => ({ getRequest: () => request }) } as ExecutionContext;
      return await lastValueFrom(holds.intercept(context, { handle: () => from(handle(request, reply)) }));
    });
    server.post('/one', async () => Promise.resolve({}));
    await server.listen({ host: '127.0.0.1', port: 0 });
    const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
    const post = (body = '{}'): Promise<Response> =>
      fetch(`${url}/many`, { method: 'POST', headers: { 'X-API-KEY': 'k', 'Content-Type': 'application/json' }, body });
    return { url, post };
  };

  /** Returns a handler that waits until it is released, and what it knows. */
  const held = () => {
    const { promise: released, resolve: release } = Promise.withResolvers<object>();
    const begun: (() => void)[] = [];
    let count = 0;
    return {
      release: () => {
        release({});
      },
      handle: () => {
        count += 1;
        for (const each of begun.splice(0)) each();
        return released;
      },
      /** Resolves once so many calls have reached the handler. */
      reached: async (calls: number): Promise<void> => {
        while (count < calls) await new Promise<void>((resolve) => begun.push(resolve));
      },
    };
  };

  it('takes bodies up to 1 MiB, and other routes as much as before', async () => {
    const { url, post } = await start(() => Promise.resolve({}));
    const body = (bytes: number): string => JSON.stringify('x'.repeat(bytes - 2));
    expect((await post(body(MAX_LIST_BYTES))).status).toBe(200);
    expect((await post(body(MAX_LIST_BYTES + 1))).status).toBe(413);
    const headers = { 'X-API-KEY': 'k', 'Content-Type': 'application/json' };
    expect((await fetch(`${url}/one`, { method: 'POST', headers, body: body(64 * 1024 + 1) })).status).toBe(413);
  });

  it('refuses a fifth call of a partner with 429 while four are running, and says how many are left', async () => {
    const calls = held();
    const { post } = await start(calls.handle, 10);
    const running = Array.from({ length: MAX_RUNNING }, () => post());
    await calls.reached(MAX_RUNNING);
    const refused = await post();
    expect([refused.status, await refused.json()]).toStrictEqual([429, { message: TOO_MANY_RUNNING }]);
    expect(refused.headers.get('ratelimit-policy')).toBe('"partner";q=10;w=1, "running";q=4;qu="concurrent-requests"');
    expect(refused.headers.get('ratelimit')).toMatch(/^"partner";r=\d+;t=1, "running";r=0$/);
    calls.release();
    expect((await Promise.all(running)).map(({ status }) => status)).toStrictEqual([200, 200, 200, 200]);
    expect((await post()).headers.get('ratelimit')).toMatch(/"running";r=3$/);
  });

  it('ends a call that fails', async () => {
    const { post } = await start(() => Promise.reject(new Error('the event store is away')));
    for (let call = 0; call < 2 * MAX_RUNNING; call += 1) expect((await post()).status).toBe(500);
  });

  it('counts a call whose caller hung up until its handler has ended', async () => {
    const calls = held();
    const { url, post } = await start(calls.handle);
    const sent = Array.from({ length: MAX_RUNNING }, () =>
      httpRequest(`${url}/many`, { method: 'POST', headers: { 'X-API-KEY': 'k', 'Content-Type': 'application/json' } })
        .on('error', () => undefined)
        .end('{}'),
    );
    await calls.reached(MAX_RUNNING);
    await Promise.all(sent.map((each) => new Promise((resolve) => each.once('close', resolve).destroy())));
    expect((await post()).status).toBe(429);
    calls.release();
    await untilAdmitted(post);
  });

  it('ends a call whose caller hangs up before its body has arrived', async () => {
    const { url, post } = await start(() => Promise.resolve({}));
    for (let call = 0; call < 2 * MAX_RUNNING; call += 1) {
      const headers = { 'X-API-KEY': 'k', 'Content-Type': 'application/json', 'Content-Length': 100, Expect: '100-continue' };
      const sent = httpRequest(`${url}/many`, { method: 'POST', headers }).on('error', () => undefined);
      await new Promise((resolve) => {
        sent.once('continue', resolve).flushHeaders();
      });
      await new Promise((resolve) => sent.once('close', resolve).destroy());
    }
    await untilAdmitted(post);
  });
});
