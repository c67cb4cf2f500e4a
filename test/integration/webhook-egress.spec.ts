import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { DeliveryFailed } from '../../src/contexts/webhooks/egress/delivery-failed.js';
import { Egress } from '../../src/contexts/webhooks/egress/post.js';
import { failure, failureOf, Hooks, LONG_MS, SHORT_MS } from '../support/hooks.js';
import { freePort } from '../support/starting.js';
import { until } from '../support/until.js';

let hooks: Hooks;

beforeEach(() => {
  hooks = new Hooks();
});

afterEach(async () => {
  await hooks.close();
});

describe('a post to a receiver', () => {
  it('sends the URL, the headers and the body as given', async () => {
    let received: IncomingMessage | undefined;
    let body: Buffer | undefined;
    const port = await hooks.serve((request, response) => {
      received = request;
      void buffer(request).then((bytes) => {
        body = bytes;
        response.end('thank you');
      });
    });
    const posted = await hooks.post(port, {
      url: `http://hooks.example.com:${port}/hook?a=1#b`,
      headers: { 'content-type': 'application/json', 'x-signature': 't=1,v1=ab' },
      body: Buffer.from('{"ü":1}'),
    });
    expect(posted).toStrictEqual({ status: 200, retryAfter: undefined, durationMs: expect.any(Number) });
    expect(received).toMatchObject({
      method: 'POST',
      url: '/hook?a=1',
      headers: { host: `hooks.example.com:${port}`, 'content-type': 'application/json', 'x-signature': 't=1,v1=ab', 'content-length': '8' },
    });
    expect(body?.toString()).toBe('{"ü":1}');
  });

  it.each([204, 400, 410, 429, 500, 503])('returns the status %s', async (status) => {
    const port = await hooks.serve((_, response) => response.writeHead(status).end());
    expect(await hooks.post(port)).toMatchObject({ status });
  });

  it.each([301, 302, 303, 307, 308])('does not follow a redirect with %s', async (status) => {
    const paths: (string | undefined)[] = [];
    const port = await hooks.serve(({ url }, response) => {
      paths.push(url);
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
    expect(await hooks.post(port)).toMatchObject({ status });
    expect(paths).toStrictEqual(['/hook']);
  });

  it.each([
    ['seconds', '120', '120'],
    ['a date', 'Wed, 21 Oct 2026 07:28:00 GMT', 'Wed, 21 Oct 2026 07:28:00 GMT'],
    ['nothing if it is too long', 'x'.repeat(1000), undefined],
  ])('returns the Retry-After header: %s', async (_name, header, retryAfter) => {
    const port = await hooks.serve((_, response) => response.writeHead(503, { 'retry-after': header }).end());
    expect(await hooks.post(port)).toMatchObject({ status: 503, retryAfter });
  });

  it('returns the status of a response of 10 MB and drops its body', async () => {
    let sending: ServerResponse | undefined;
    const port = await hooks.serve((_, response) => {
      sending = response.end(Buffer.alloc(10 * 1024 * 1024));
    });
    expect(await hooks.post(port)).toMatchObject({ status: 200 });
    await until(() => sending?.closed);
    expect(sending?.writableFinished).toBe(false);
  });

  it('returns the status of an endless response and drops its body', async () => {
    const port = await hooks.serve((_, response) => {
      const more = (): void => void response.write(Buffer.alloc(16 * 1024), (error) => error ?? setImmediate(more));
      more();
    });
    expect(await hooks.post(port)).toMatchObject({ status: 200 });
  });

  it('passes over interim responses before the final one, asked for or not', async () => {
    const interim = fc.constantFrom('100 Continue', '102 Processing', '103 Early Hints', '110 Anything');
    await fc.assert(
      fc.asyncProperty(fc.array(interim, { maxLength: 4 }), fc.boolean(), async (statuses, atOnce) => {
        const responses = [
          ...statuses.map((status) => `HTTP/1.1 ${status}\r\nlink: </x>\r\n\r\n`),
          'HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n',
        ];
        const port = await hooks.listen(
          createTcpServer((socket) =>
            socket.once('data', () => {
              if (atOnce) socket.end(responses.join(''));
              else for (const response of responses) socket.write(response);
            }),
          ),
        );
        expect(await hooks.post(port)).toMatchObject({ status: 202 });
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['never ends', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx')],
    ['breaks', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx')],
    ['has a broken framing', (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nsecret\r\n')],
    ['is reset', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nx', () => socket.resetAndDestroy())],
  ])('returns the status of a response whose body %s, and ends its connection', async (_name, respond) => {
    const port = await hooks.listen(createTcpServer((socket) => socket.once('data', () => respond(socket))));
    expect(await hooks.post(port)).toMatchObject({ status: 200 });
    await until(() => hooks.sockets.size === 0);
  });

  it('returns the status of a response whose body arrives byte by byte, and ends its connection', async () => {
    const port = await hooks.serve((_, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.writeHead(503, { 'retry-after': '120' }).on('close', () => {
        clearInterval(timer);
      });
    });
    expect(await hooks.post(port)).toMatchObject({ status: 503, retryAfter: '120' });
    await until(() => hooks.sockets.size === 0);
  });

  it('reuses the connection of the previous post', async () => {
    const ports: (number | undefined)[] = [];
    const port = await hooks.serve((request, response) => {
      ports.push(request.socket.remotePort);
      response.end('x'.repeat(1000));
    });
    // A connection that nothing uses for four seconds is closed, so a busy machine may need another round.
    await until(async () => {
      const [postsBefore, namesBefore] = [ports.length, hooks.resolvedNames.length];
      await hooks.post(port);
      // Node frees a connection one turn after the end of its response.
      await nextTurn();
      await hooks.post(port);
      const isReused = new Set(ports.slice(postsBefore)).size === 1;
      if (isReused) expect(hooks.resolvedNames.length - namesBefore).toBeLessThanOrEqual(1);
      return isReused;
    });
  });
});

describe('a failed post', () => {
  it('reports an address where nothing listens', async () => {
    const port = await freePort();
    expect(await failureOf(hooks.post(port))).toStrictEqual(failure('connect'));
    hooks.names.set('hooks.example.com', ['127.0.0.1', '::1']);
    expect(await failureOf(hooks.post(port))).toStrictEqual(failure('connect'));
  });

  it('reports a connection that breaks', async () => {
    const port = await hooks.serve((request) => request.socket.resetAndDestroy());
    expect(await failureOf(hooks.post(port))).toStrictEqual(failure('reset'));
    expect(await failureOf(hooks.post(await hooks.serveText('')))).toStrictEqual(failure('reset'));
  });

  it('reports a name that is unknown or has no address', async () => {
    hooks.names.set('empty.example.com', []);
    for (const url of ['http://unknown.example.com/', 'http://empty.example.com/'])
      expect(await failureOf(hooks.post(0, { url }))).toStrictEqual(failure('dns'));
  });

  it.each([
    ['a response that is not HTTP', 'SSH-2.0-OpenSSH_9.6\r\n\r\n'],
    ['an upgrade that was not requested', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    ['oversized headers', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`],
  ])('reports %s', async (_, text) => {
    expect(await failureOf(hooks.post(await hooks.serveText(text)))).toStrictEqual(failure('protocol'));
  });
});

describe('the time limit', () => {
  it('ends a post without a response, and its connection', async () => {
    const port = await hooks.serve(() => undefined);
    expect(await failureOf(hooks.post(port, { timeoutMs: SHORT_MS }))).toStrictEqual(failure('timeout'));
    await until(() => hooks.sockets.size === 0);
  });

  it('ends headers that never end, and their connection', async () => {
    const port = await hooks.listen(
      createTcpServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write('x: y\r\n'), 20);
        socket.on('close', () => {
          clearInterval(timer);
        });
      }),
    );
    expect(await failureOf(hooks.post(port, { timeoutMs: SHORT_MS }))).toStrictEqual(failure('timeout'));
    await until(() => hooks.sockets.size === 0);
  });

  it('ends a TLS handshake without a response', async () => {
    const port = await hooks.listen(createTcpServer());
    expect(await failureOf(hooks.post(port, { url: `https://hooks.example.com:${port}/`, timeoutMs: SHORT_MS }))).toStrictEqual(
      failure('timeout'),
    );
  });

  it('ends a name resolution without a result, and nothing is sent when the result arrives later', async () => {
    const paths: (string | undefined)[] = [];
    const port = await hooks.serve(({ url }, response) => {
      paths.push(url);
      response.end();
    });
    const late = Promise.withResolvers<{ address: string }[]>();
    const slow = new Egress(() => late.promise);
    const request = { headers: {}, body: '', allowPrivateNetworks: true, httpsOnly: false };
    const first = slow.post({ ...request, url: `http://hooks.example.com:${port}/1`, timeoutMs: SHORT_MS });
    expect(await failureOf(first)).toStrictEqual(failure('timeout'));
    late.resolve([{ address: '127.0.0.1' }]);
    expect(await slow.post({ ...request, url: `http://hooks.example.com:${port}/2`, timeoutMs: LONG_MS })).toMatchObject({ status: 200 });
    await slow.close();
    expect(paths).toStrictEqual(['/2']);
  });
});

describe('a post is refused', () => {
  it('because of its URL', async () => {
    const urls = ['x', 'ftp://hooks.example.com/', 'https://a:b@hooks.example.com/', 'https://hooks.example.com:22/'];
    for (const url of urls) expect(await failureOf(hooks.post(0, { url }))).toStrictEqual(failure('url_refused'));
    expect(await failureOf(hooks.post(0, { url: 'http://hooks.example.com/', httpsOnly: true }))).toStrictEqual(failure('url_refused'));
  });

  it('as a bug, not as a failed delivery, for an invalid header', async () => {
    await expect(hooks.post(1024, { headers: { x: 'a\nb' } })).rejects.not.toBeInstanceOf(DeliveryFailed);
  });

  it('after the egress was closed, which first completes the posts in progress', async () => {
    const port = await hooks.serve((_, response) => setTimeout(() => response.end(), 50));
    const posting = hooks.post(port);
    await hooks.egress.close();
    expect(await posting).toMatchObject({ status: 200 });
    await expect(hooks.post(port)).rejects.toThrow('The egress is closed');
  });
});
