import { afterEach, describe, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { type RequestListener, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, type Socket } from 'node:net';
import { openRaw, openUnread, type RawSocket } from '../support/hostile/raw-socket.js';
import { until } from '../support/until.js';
import { boundedServer, type ClosingReason, type ConnectionLimits } from '../../src/platform/http-server/bounded-server.js';
import { Failures } from '../../src/http/envelope.js';
import { createApiServer, refuseMalformedRequest } from '../../src/app/api-server.js';
import { type Settings } from '../../src/settings/declaration.js';
import { MAX_WAITING_REQUESTS } from '../../src/platform/http-server/in-turn.js';

const MEBIBYTE = 1024 * 1024;
/** More than the system's buffers of a connection hold. */
const LARGE = Buffer.alloc(16 * MEBIBYTE, 'x');
const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const statuses = (received: Buffer): number[] =>
  [...received.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));

describe('a bounded server', () => {
  let server: Server | undefined;
  let port = 0;
  const accepted: Socket[] = [];
  const clients: { destroy(): unknown }[] = [];
  const closed: ClosingReason[] = [];

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    accepted.length = closed.length = 0;
    server?.closeAllConnections();
    server?.close();
    await Promise.resolve(server && once(server, 'close'));
  });

  const start = async (handle: RequestListener, limits: Partial<ConnectionLimits> = {}): Promise<void> => {
    server = boundedServer({ requestTimeout: 60_000 }, { perAddress: 0, onClosed: (reason) => closed.push(reason), ...limits }, handle);
    server.on('connection', (socket: Socket) => accepted.push(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  };
  /** Starts the API's server, which responds to requests that Node's parser rejects. */
  const startApi = async (handle: RequestListener): Promise<void> => {
    const limits = { requestTimeoutMs: 60_000, trustedProxies: [], maxConnectionsPerAddress: 0 };
    const settings = { ...limits, publicUrl: 'https://rupa.example' } as unknown as Settings;
    server = createApiServer(settings, handle, (reason) => closed.push(reason));
    server.on('clientError', ({ code }: NodeJS.ErrnoException, socket) => {
      refuseMalformedRequest(code ?? '', socket as Socket, new Failures('https://rupa.example'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  };
  const open = async (): Promise<RawSocket> => {
    const socket = await openRaw(port);
    clients.push(socket);
    return socket;
  };
  const openWithoutReading = async (...chunks: readonly string[]): Promise<Socket> => {
    const socket = await openUnread(port);
    clients.push(socket);
    for (const chunk of chunks) socket.write(chunk);
    return socket;
  };
  const isServed = async (): Promise<void> => {
    const socket = await open();
    await socket.send(get('/'));
    await socket.closedOr((received) => statuses(received).length === 1);
    expect(statuses(socket.received())).toStrictEqual([200]);
  };

  it('handles the requests of a connection one after the other, in order', async () => {
    let running = 0;
    const paths: unknown[] = [];
    await start((request, response) => {
      expect((running += 1)).toBe(1);
      paths.push(request.url);
      setImmediate(() => {
        running -= 1;
        response.end('done');
      });
    });
    const sent = Array.from({ length: 2 * MAX_WAITING_REQUESTS }, (_, index) => `/${index}`);
    const half = sent.length / 2;
    const socket = await open();
    await socket.send(sent.slice(0, half).map(get).join(''));
    await socket.closedOr((received) => statuses(received).length === half);
    await socket.send(sent.slice(half).map(get).join(''));
    await socket.closedOr((received) => statuses(received).length === sent.length);
    expect(paths).toStrictEqual(sent);
    expect(statuses(socket.received())).toStrictEqual(sent.map(() => 200));
  });

  it.each([
    ['a malformed request', 'NOT HTTP\r\n\r\n'],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['a request with a body that cannot be read', `POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n`],
  ])('sends the responses to the requests before %s, then its own', async (_what, malformed) => {
    await startApi((request, response) => {
      request.resume();
      setImmediate(() => {
        response.end(request.url);
      });
    });
    const socket = await open();
    await socket.send(`${get('/first')}${get('/second')}${malformed}`);
    await socket.closedOr(() => false);
    expect(statuses(socket.received())).toStrictEqual([200, 200, 400]);
    expect(socket.received().toString()).toMatch(/\/first.*\/second.*"success":false/s);
  });

  it.each(['websocket', 'h2c'])('serves a request that asks for an upgrade to %s, and closes its connection', async (protocol) => {
    await start((_request, response) => response.end('done'));
    const socket = await open();
    await socket.send(`GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n${get('/next')}`);
    await socket.closedOr(() => false);
    expect(statuses(socket.received())).toStrictEqual([200]);
    expect(socket.received().toString()).toContain('Connection: close');
  });

  it('hands a waiting request to its handler with its whole body', async () => {
    const bodies: string[] = [];
    await start((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        bodies.push(body);
        response.end();
      });
    });
    const sent = ['a', 'b', 'c'].map((letter) => letter.repeat(100_000));
    const socket = await open();
    for (const body of sent) await socket.send(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    await socket.closedOr((received) => statuses(received).length === sent.length);
    expect(bodies).toStrictEqual(sent);
  });

  it('holds nothing of the requests whose bodies arrive after their responses while their connection serves others', async () => {
    await start((_request, response) => response.end('done'));
    const socket = await open();
    await socket.send(get('/'));
    await socket.closedOr((received) => statuses(received).length === 1);
    const listeners = (): number | undefined => accepted[0]?.listenerCount('close');
    const before = listeners();
    for (let sent = 1; sent <= 12; sent += 1) {
      await socket.send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n');
      await socket.closedOr((received) => statuses(received).length === 1 + sent);
      await socket.send('null');
    }
    await until(() => listeners() === before);
    expect(statuses(socket.received())).toStrictEqual(Array.from({ length: 13 }, () => 200));
  });

  it('reads nothing more of a connection on which a request waits', async () => {
    const responses: ServerResponse[] = [];
    await start((_request, response) => responses.push(response));
    const client = await openWithoutReading(get('/'), get('/'));
    await until(() => responses.length === 1);
    client.write(Buffer.alloc(32 * MEBIBYTE, 'x'));
    await until(() => client.writableLength > 0);
    expect(accepted[0]?.bytesRead).toBeLessThan(MEBIBYTE);
    expect(responses).toHaveLength(1);
  });

  it('does not hand over the other requests of a chunk once too many wait', async () => {
    await start((_request, response) => setImmediate(() => response.end('done')));
    let handedOver = 0;
    server?.on('request', () => (handedOver += 1));
    for (let connections = 1; connections <= 3; connections += 1) {
      const socket = await open();
      await socket.send(get('/').repeat(1_000));
      expect(await socket.closedOr(() => false)).toBe(true);
      expect(handedOver).toBeLessThanOrEqual(connections * (MAX_WAITING_REQUESTS + 2));
      await isServed();
      handedOver -= 1;
    }
    expect(closed).toStrictEqual(Array.from({ length: 3 }, () => 'waiting_requests'));
  });

  it('closes a connection on which too many requests wait, and handles none of them', async () => {
    let handled = 0;
    await start(() => (handled += 1));
    const socket = await open();
    await socket.send(get('/').repeat(MAX_WAITING_REQUESTS + 2));
    expect(await socket.closedOr(() => false)).toBe(true);
    expect(handled).toBe(1);
    expect(closed).toStrictEqual(['waiting_requests']);
  });

  it.each([
    ['a request without Host header', 'GET / HTTP/1.1\r\n\r\n', 400],
    ['a request with an unknown expectation', 'GET / HTTP/1.1\r\nHost: x\r\nExpect: the impossible\r\n\r\n', 417],
  ])('responds to %s in its turn', async (_name, request, status) => {
    let handled = 0;
    await start((_request, response) => {
      handled += 1;
      response.end();
    });
    const socket = await open();
    await socket.send(get('/') + request);
    expect(await socket.closedOr(() => false)).toBe(true);
    expect(statuses(socket.received())).toStrictEqual([200, status]);
    expect(handled).toBe(1);
    const flood = await openWithoutReading(get('/') + request.repeat(1_000));
    await until(() => closed.length > 0 || accepted.every(({ destroyed }) => destroyed));
    flood.destroy();
  });

  it('closes a connection whose client takes nothing of a response', async () => {
    await start((_request, response) => response.end(LARGE), { unreadMs: 100 });
    await openWithoutReading(get('/'));
    await until(() => accepted[0]?.destroyed);
    expect(closed).toStrictEqual(['unread_response']);
  });

  it('keeps a connection while its handler works', async () => {
    let respond = (): void => undefined;
    await start((_request, response) => (respond = () => void response.end('done')), { unreadMs: 20 });
    let timeouts = 0;
    server?.on('timeout', () => (timeouts += 1));
    const socket = await open();
    await socket.send(get('/'));
    await until(() => timeouts > 3);
    respond();
    await socket.closedOr((received) => received.includes('done'));
    expect(statuses(socket.received())).toStrictEqual([200]);
  });

  it('closes the connections that have an unread response for longest while all together take too much memory', async () => {
    await start((request, response) => response.end(request.url === '/' ? '' : LARGE), { maxUnreadBytes: 2.5 * LARGE.length });
    await openWithoutReading(get('/large'));
    await until(() => (accepted[0]?.writableLength ?? 0) > 0);
    for (let index = 1; index < 3; index += 1) await openWithoutReading(get('/large'));
    await until(() => closed.length === 1);
    expect(accepted.map(({ destroyed }) => destroyed)).toStrictEqual([true, false, false]);
    await isServed();
  });

  it('closes although a client does not take its response', async () => {
    await start((_request, response) => response.end(LARGE));
    await openWithoutReading(get('/'));
    await until(() => (accepted[0]?.writableLength ?? 0) > 0);
    const closing = server;
    server = undefined;
    closing?.close();
    await Promise.resolve(closing && once(closing, 'close'));
    expect(accepted[0]?.destroyed).toBe(true);
  });

  it('keeps a connection while its first request arrives slowly', async () => {
    await start((_request, response) => response.end('done'), { unreadMs: 20 });
    let timeouts = 0;
    server?.on('timeout', () => (timeouts += 1));
    const socket = await open();
    await socket.send('GET / HTTP/1.1\r\n');
    await until(() => timeouts > 3);
    await socket.send('Host: x\r\n\r\n');
    await socket.closedOr((received) => received.includes('done'));
    expect(statuses(socket.received())).toStrictEqual([200]);
  });

  it('closes the connections of an address beyond its limit at once, until others of it have closed', async () => {
    await start((_request, response) => response.end(), { perAddress: 2 });
    const [first] = [await openWithoutReading(), await openWithoutReading()];
    const third = await open();
    expect(await third.closedOr(() => false)).toBe(true);
    expect(closed).toStrictEqual(['address_limit']);
    first.destroy();
    await until(() => accepted[0]?.destroyed);
    await isServed();
  });

  it('does not limit the connections of a proxy', async () => {
    await start((_request, response) => response.end(), { perAddress: 1, isProxy: (address) => address === '127.0.0.1' });
    for (let index = 0; index < 3; index += 1) await isServed();
    expect(closed).toStrictEqual([]);
  });
});
