import { Controller, Get, Module, Res } from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type FastifyReply } from 'fastify';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { until } from '../support/until.js';
import { LOGGER } from '../../src/platform/injection-tokens.js';
import { ErrorResponses } from '../../src/http/errors/error-responses.js';
import { Failures } from '../../src/http/envelope.js';
import { ErrorFilter } from '../../src/http/errors/error.filter.js';
import { HttpMetrics, observeRequests } from '../../src/http/observe-requests.js';
import { type Body, LargeBodies, LargeBodyLimits } from '../../src/http/limiting/large-bodies.js';

const PIECE = 'x'.repeat(1_024);
/** More than the system's buffers of a connection hold. */
const ENDLESS = 1_000_000;
const AT_ONCE = 2;

/** Pieces of text, and what became of them. */
class Source implements AsyncDisposable {
  read = 0;
  disposed = 0;

  constructor(
    readonly count: number,
    private readonly end: () => Promise<unknown> = () => Promise.resolve(),
  ) {}

  async *pieces(): AsyncGenerator<string> {
    for (; this.read < this.count; this.read += 1) yield PIECE;
    await this.end();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.disposed += 1;
    return Promise.resolve();
  }
}

let next: Source;
let nextLines: () => AsyncGenerator<string>;

@Controller()
class Sending {
  constructor(private readonly bodies: LargeBodies) {}

  @Get('body')
  async body(@Res({ passthrough: true }) reply: FastifyReply): Promise<Body> {
    const source = next;
    const body = await this.bodies.text(reply, source, source.pieces());
    reply.type('text/csv; charset=utf-8');
    return body;
  }

  @Get('lines')
  async lines(@Res({ passthrough: true }) reply: FastifyReply): Promise<Body> {
    return await this.bodies.lines(reply, nextLines(), 'lines.jsonl');
  }
}

describe('a body of any size', () => {
  let app: NestFastifyApplication;
  let url: string;
  const sockets: Socket[] = [];
  const observed: number[] = [];
  const registry = new Registry();
  const metrics = new HttpMetrics(registry);
  const logger = pino({ enabled: false });
  const fails = (): Promise<never> => Promise.reject(new Error('broken'));

  const start = async (limits: Partial<LargeBodyLimits> = {}): Promise<void> => {
    const adapter = new FastifyAdapter({ forceCloseConnections: true });
    observeRequests(adapter.getInstance(), {
      logger,
      metrics,
      onResponse: ({ status }) => observed.push(status),
    });
    adapter.getInstance().addHook('onRequest', (request, _reply, done) => {
      const partner_id = request.headers['x-partner'];
      if (partner_id !== undefined) Object.assign(request, { partner: { partner_id } });
      done();
    });
    adapter.getInstance().addHook('onSend', (request, _reply, payload, done) => {
      if (request.headers['x-replace'] === undefined) done(null, payload);
      else done(null, 'replaced');
    });

    @Module({
      controllers: [Sending],
      providers: [
        LargeBodies,
        { provide: LargeBodyLimits, useValue: Object.assign(new LargeBodyLimits(), { maxAtOnce: AT_ONCE }, limits) },
        { provide: LOGGER, useValue: logger },
        { provide: HttpMetrics, useValue: metrics },
        { provide: ErrorResponses, useValue: new ErrorResponses([]) },
        { provide: Failures, useValue: new Failures('https://rupa.example') },
        { provide: APP_FILTER, useClass: ErrorFilter },
      ],
    })
    class BodiesModule {}
    app = await NestFactory.create<NestFastifyApplication>(BodiesModule, adapter, { logger: false });
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
  };
  beforeEach(() => {
    observed.length = 0;
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    await app.close();
  });

  /** Sends a request on a connection that reads nothing of the response. */
  const unread = async (source: Source, partner?: string): Promise<Socket> => {
    next = source;
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    sockets.push(socket.on('error', () => undefined).pause());
    await once(socket, 'connect');
    socket.write(`GET /body HTTP/1.1\r\nHost: x\r\n${partner === undefined ? '' : `X-Partner: ${partner}\r\n`}\r\n`);
    return socket;
  };
  const get = async (source: Source, init: RequestInit = {}): Promise<Response> => {
    next = source;
    return await fetch(`${url}/body`, init);
  };

  it.each([0, 1, 63])('is sent whole if it is small (%i KiB)', async (count) => {
    await start();
    const source = new Source(count);
    const response = await get(source);
    expect(await response.text()).toBe(PIECE.repeat(count));
    expect(response.headers.get('content-length')).toBe(String(count * PIECE.length));
    expect(source.disposed).toBe(1);
  });

  it.each([65, 128, 5_000])('is streamed with the same bytes if it is large (%i KiB)', async (count) => {
    await start();
    const source = new Source(count);
    const response = await get(source);
    expect([response.status, response.headers.get('content-type')]).toStrictEqual([200, 'text/csv; charset=utf-8']);
    expect(await response.text()).toBe(PIECE.repeat(count));
    await until(() => source.disposed === 1);
  });

  it('is read no further than the client takes it', async () => {
    await start();
    const source = new Source(ENDLESS);
    const socket = await unread(source);
    let before = -1;
    await until(() => {
      const settled = source.read > 128 && source.read === before;
      before = source.read;
      return settled;
    });
    expect(source.read).toBeLessThan(ENDLESS / 20);
    socket.resume();
    await until(() => source.read > before);
    socket.destroy();
    await until(() => source.disposed === 1);
  });

  it('becomes an error response if an error occurs while it is small', async () => {
    await start();
    const source = new Source(60, fails);
    const response = await get(source);
    expect(response.status).toBe(500);
    expect(await response.json()).toMatchObject({ success: false });
    expect(source.disposed).toBe(1);
  });

  it('is cut off, and never ended as if it were complete, if an error occurs later', async () => {
    await start();
    const source = new Source(5_000, fails);
    const response = await get(source);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    await until(() => source.disposed === 1);
  });

  it('is cut off if the rest of it cannot be read in time', async () => {
    await start({ readMs: 20 });
    const source = new Source(200, () => new Promise(() => undefined));
    await expect((await get(source)).text()).rejects.toThrow();
    await until(() => source.disposed === 1);
  });

  it('is cut off if the client does not take it in time', async () => {
    await start({ takenMs: 20 });
    const source = new Source(ENDLESS);
    const socket = await unread(source);
    await until(() => source.disposed === 1);
    socket.resume();
    await once(socket, 'close');
    expect(source.read).toBeLessThan(ENDLESS);
    expect(await registry.metrics()).toContain('rupa_http_connections_closed_total{reason="unread_response"} 1');
  });

  it('is refused if it is large while as many as allowed are being sent, and only then', async () => {
    await start();
    const held = Array.from({ length: AT_ONCE }, () => new Source(ENDLESS));
    for (const source of held) {
      await unread(source);
      await until(() => source.read > 0);
    }
    const refused = new Source(100);
    const response = await get(refused);
    expect([response.status, response.headers.get('retry-after')]).toStrictEqual([503, '1']);
    expect(await response.json()).toStrictEqual({
      success: false,
      message: 'Too many large responses are being read. Please retry with backoff.',
      code: 'unavailable',
      doc_url: 'https://rupa.example/docs/guides/errors#unavailable',
    });
    expect(refused.disposed).toBe(1);
    expect((await get(new Source(1))).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await until(() => held.every(({ disposed }) => disposed === 1));
    expect((await (await get(new Source(100))).text()).length).toBe(100 * PIECE.length);
  });

  it('is sent to one partner once at a time, and to few partners, which keep none from auditors', async () => {
    await start({ maxAtOnceToPartners: 2 });
    const status = async (partner?: string): Promise<number> => {
      const source = new Source(100);
      const response = await get(source, partner === undefined ? {} : { headers: { 'x-partner': partner } });
      // A response that is still being sent counts.
      await response.text();
      await until(() => source.disposed === 1);
      return response.status;
    };
    const hold = async (partner: string): Promise<void> => {
      const source = new Source(ENDLESS);
      await unread(source, partner);
      await until(() => source.read > 128);
    };
    await hold('p1');
    expect([await status('p1'), await status('p2')]).toStrictEqual([503, 200]);
    await hold('p2');
    expect([await status('p3'), await status()]).toStrictEqual([503, 200]);
  });

  it('is not read for a request that gets no body or another one', async () => {
    await start();
    const [head, replaced] = [new Source(ENDLESS), new Source(ENDLESS)];
    expect((await get(head, { method: 'HEAD' })).status).toBe(200);
    expect(await (await get(replaced, { headers: { 'x-replace': '1' } })).text()).toBe('replaced');
    await until(() => head.disposed === 1 && replaced.disposed === 1);
    expect(Math.max(head.read, replaced.read)).toBeLessThan(1_000);
    expect((await (await get(new Source(100))).text()).length).toBe(100 * PIECE.length);
  });

  it('of lines is begun for few calls at once, and never for a caller that is gone', async () => {
    await start({ maxOpening: 3, maxOpeningPerCaller: 2 });
    let begun = 0;
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<undefined>();
    nextLines = async function* () {
      begun += 1;
      await mayEnd;
      yield PIECE;
    };
    const statusOf = async (partner: string): Promise<number> =>
      (await fetch(`${url}/lines`, { headers: { 'x-partner': partner } })).status;
    const begins = [statusOf('a'), statusOf('a')];
    await until(() => begun === 2);
    const gone = new AbortController();
    const hungUp = Array.from({ length: 5 }, () => fetch(`${url}/lines`, { headers: { 'x-partner': 'a' }, signal: gone.signal }));
    const others = [statusOf('b'), statusOf('c')];
    await until(() => begun === 3);
    observed.length = 0;
    gone.abort();
    await Promise.allSettled(hungUp);
    await until(() => observed.length === hungUp.length);
    end(undefined);
    expect(await Promise.all([...begins, ...others])).toStrictEqual([200, 200, 200, 200]);
    expect(begun).toBe(4);
  });

  it('of lines is refused if its turn does not come', async () => {
    await start({ maxOpening: 1, openingMs: 50 });
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<undefined>();
    nextLines = async function* () {
      await mayEnd;
      yield PIECE;
    };
    const statuses = [fetch(`${url}/lines`), fetch(`${url}/lines`)].map(async (response) => (await response).status);
    expect(await Promise.race(statuses)).toBe(503);
    end(undefined);
    expect((await Promise.all(statuses)).sort()).toStrictEqual([200, 503]);
  });

  it('is observed once, with 500 if the service cuts it off and 499 if the client ends the connection', async () => {
    await start();
    await (await get(new Source(100))).text();
    await expect((await get(new Source(5_000, fails))).text()).rejects.toThrow();
    await until(() => observed.length === 2);
    const source = new Source(ENDLESS);
    const socket = await unread(source);
    await until(() => source.read > 128);
    socket.destroy();
    await until(() => observed.length === 3);
    expect(observed).toStrictEqual([200, 500, 499]);
  });
});
