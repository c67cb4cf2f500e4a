import { Controller, Get, Module } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { LOGGER } from '../platform/injection-tokens.js';
import { Deadline, enforceDeadlines } from './deadline.js';
import { failure } from './envelope.js';
import { ErrorResponses } from './error-responses.js';
import { ErrorFilter } from './error.filter.js';

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

@Module({
  controllers: [Slow],
  providers: [
    { provide: LOGGER, useValue: pino({ enabled: false }) },
    { provide: ErrorResponses, useValue: new ErrorResponses([]) },
    { provide: APP_FILTER, useClass: ErrorFilter },
  ],
})
class SlowModule {}

describe('a call that exceeds its deadline', () => {
  let app: NestFastifyApplication;

  beforeAll(async () => {
    const adapter = new FastifyAdapter();
    enforceDeadlines(adapter.getInstance());
    app = await NestFactory.create<NestFastifyApplication>(SlowModule, adapter, { logger: false });
    await app.init();
  });
  afterAll(() => app.close());

  it('gets 503 in the envelope, with Retry-After', async () => {
    const { statusCode, headers, body } = await app.inject({ url: '/slow' });
    expect({ statusCode, retryAfter: headers['retry-after'], body: JSON.parse(body) as unknown }).toMatchObject({
      statusCode: 503,
      retryAfter: '1',
      body: failure('The service is busy. Please retry with backoff.'),
    });
  });

  it('affects no other call when its result arrives later', async () => {
    late.resolve('too late');
    expect((await app.inject({ url: '/quick' })).body).toBe('done');
    expect((await app.inject({ url: '/nowhere' })).statusCode).toBe(404);
  });
});
