import { Controller, Get, Module } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { LOGGER } from '../infrastructure/tokens.js';
import { Deadline, keepDeadlines } from './deadline.js';
import { failure } from './envelope.js';
import { ErrorFilter } from './error.filter.js';

const SERVERS_MS = 600_000;
const OWN_MS = 20;
const never = new Promise<never>(() => undefined);

@Controller()
class Slow {
  @Get('slow')
  @Deadline(OWN_MS)
  async slow(): Promise<never> {
    return await never;
  }

  @Get('quick')
  quick(): string {
    return 'done';
  }
}

@Module({ controllers: [Slow], providers: [{ provide: LOGGER, useValue: pino({ enabled: false }) }, { provide: APP_FILTER, useClass: ErrorFilter }] })
class SlowModule {}

describe('a call that is not done by its deadline', () => {
  let app: NestFastifyApplication;
  const deadlines = new Map<string, number | undefined>();

  beforeAll(async () => {
    const adapter = new FastifyAdapter({ handlerTimeout: SERVERS_MS });
    keepDeadlines(adapter.getInstance());
    adapter.getInstance().addHook('onRoute', ({ url, handlerTimeout }) => void deadlines.set(url, handlerTimeout));
    app = await NestFactory.create<NestFastifyApplication>(SlowModule, adapter, { logger: false });
    await app.init();
  });
  afterAll(() => app.close());

  it('is answered 503 in the envelope, to be sent again', async () => {
    const { statusCode, headers, body } = await app.inject({ url: '/slow' });
    expect({ statusCode, retryAfter: headers['retry-after'], body: JSON.parse(body) as unknown }).toMatchObject({
      statusCode: 503,
      retryAfter: '1',
      body: failure('The service is busy. Please retry with backoff.'),
    });
  });

  it('others keep the server’s', async () => {
    expect((await app.inject({ url: '/quick' })).body).toBe('done');
    expect([deadlines.get('/slow'), deadlines.get('/quick')]).toStrictEqual([OWN_MS, undefined]);
  });
});
