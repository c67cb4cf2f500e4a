import { Controller, Get, Module, Post } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import createFastify from 'fastify';
import { pino } from 'pino';
import { LOGGER } from '../../platform/injection-tokens.js';
import { type AdminAuthentication } from '../authenticating/admin-authentication.js';
import { type AdminCallLog, type AdminRequest, recordAdminCalls } from '../authenticating/record-admin-calls.js';
import { authenticateRequests } from '../authenticating/authenticate-requests.js';
import { Deadline, enforceDeadlines } from './deadline.js';
import { Failures } from '../envelope.js';
import { ErrorResponses } from '../errors/error-responses.js';
import { ErrorFilter } from '../errors/error.filter.js';
import { type PartnerAuthentication } from '../authenticating/partner-authentication.js';

const OWN_MS = 20;
const late = Promise.withResolvers<string>();

@Controller()
class Slow {
  @Get('slow')
  @Deadline(OWN_MS)
  async slow(): Promise<string> {
    return await late.promise;
  }

  @Get('quick')
  quick(): string {
    return 'done';
  }
}

/** The authentication of partners and the audit trail wait for this store. */
const store = Promise.withResolvers<undefined>();
let waited = 0;
const handled: string[] = [];

@Controller()
class Authenticated {
  @Get('v1/rupa/partner')
  @Deadline(OWN_MS)
  partner(): void {
    handled.push('partner');
  }

  @Post('admin/v1/admin')
  @Deadline(OWN_MS)
  admin(): void {
    handled.push('admin');
  }
}

const afterStore = async (): Promise<void> => {
  await store.promise;
  waited += 1;
};
const partners = { admit: afterStore } as unknown as PartnerAuthentication;
const administrators = {
  admit: (request: AdminRequest) => {
    request.administrator = { role: 'admin', name: 'amina', fingerprint: 'f' };
    return Promise.resolve();
  },
} as unknown as AdminAuthentication;
const audit = { begin: afterStore, end: () => Promise.resolve() } as unknown as AdminCallLog;

const failures = new Failures('https://rupa.example');

@Module({
  controllers: [Slow, Authenticated],
  providers: [
    { provide: LOGGER, useValue: pino({ enabled: false }) },
    { provide: ErrorResponses, useValue: new ErrorResponses([]) },
    { provide: Failures, useValue: failures },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
})
class SlowModule {}

describe('a call that exceeds its deadline', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const adapter = new FastifyAdapter();
    enforceDeadlines(adapter.getInstance());
    authenticateRequests(adapter.getInstance(), { partners, administrators, maintenance: { inForce: () => Promise.resolve(null) } });
    recordAdminCalls(adapter.getInstance(), audit, failures);
    app = await NestFactory.create<NestFastifyApplication>(SlowModule, adapter, { logger: false });
    await app.init();
  });
  afterAll(() => app.close());

  it('gets 503 in the envelope, with Retry-After', async () => {
    const { statusCode, headers, body } = await app.inject({ url: '/slow' });
    expect({ statusCode, retryAfter: headers['retry-after'], body: JSON.parse(body) as unknown }).toMatchObject({
      statusCode: 503,
      retryAfter: '1',
      body: failures.of('unavailable'),
    });
  });

  it('leaves no timer when its handler passes the request on to the handler of unknown paths', async () => {
    const fastify = createFastify();
    enforceDeadlines(fastify);
    fastify.get('/gone', { config: { deadlineMs: 300_000 } }, (_request, reply) => {
      reply.callNotFound();
    });
    const timers = (): number => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
    const before = timers();
    expect((await fastify.inject({ url: '/gone' })).statusCode).toBe(404);
    expect(timers()).toBeLessThanOrEqual(before);
    await fastify.close();
  });

  it('affects no other call when its result arrives later', async () => {
    late.resolve('too late');
    expect((await app.inject({ url: '/quick' })).body).toBe('done');
    expect((await app.inject({ url: '/nowhere' })).statusCode).toBe(404);
  });

  it('is not handled if it waited for a store until then, because its status would be changed after the response', async () => {
    const calls = [{ method: 'GET', url: '/v1/rupa/partner' } as const, { method: 'POST', url: '/admin/v1/admin' } as const];
    const responses = await Promise.all(calls.map((call) => app.inject(call)));
    expect(responses.map(({ statusCode }) => statusCode)).toStrictEqual([503, 503]);
    store.resolve(undefined);
    await new Promise(setImmediate);
    expect({ waited, handled }).toStrictEqual({ waited: 2, handled: [] });
  });
});
