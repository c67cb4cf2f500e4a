import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { holderOf } from '../support/holder.js';
import { footprintOf, untilShrunk } from '../support/hostile/footprint.js';
import { httpAttacks } from '../support/hostile/http-attacks.js';
import { openRaw, type RawSocket } from '../support/hostile/raw-socket.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const ROUNDS = Number(process.env.HOSTILE_ROUNDS ?? 2);
/** How long a request may take to arrive. On a busy machine, one that is sent in parts takes a second or two. */
const REQUEST_TIMEOUT_MS = 10_000;
const BEGINNING = 'POST /v1/rupa/lookup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

/** Random bytes that do not begin with a line break: RFC 9112 lets a server skip empty lines before a request and wait for it. */
function garbage(length: number): Buffer {
  for (;;) {
    const bytes = randomBytes(length);
    if (bytes[0] !== 0x0a && bytes[0] !== 0x0d) return bytes;
  }
}

describe('the HTTP server', () => {
  let service: TestService;
  let partner: TestPartner;
  let port: number;

  beforeAll(async () => {
    service = await startService({ REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS) }, { repeats: true });
    port = Number(new URL(service.url).port);
    partner = await makePartner(service, { credit: 1_000_000 });
    await admin(service, 'PUT', '/farmers/rp-1', {});
  });
  afterAll(() => service.stop());

  const serves = async (): Promise<void> => {
    expect((await partner.lookup('rp-1', { sections: ['identity'] })).status).toBe(200);
  };
  const statuses = (received: Buffer): number[] =>
    [...received.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)]
      .map(([, status]) => Number(status))
      .filter((status) => status !== 100);

  /** Returns the status of the first response, or undefined if the connection was closed without one. */
  async function responseTo(...chunks: readonly (string | Buffer)[]): Promise<number | undefined> {
    const socket = await openRaw(port);
    await socket.send(...chunks);
    await socket.closedOr((received) => statuses(received).length > 0);
    const [status] = statuses(socket.received());
    socket.destroy();
    return status;
  }

  it.each(httpAttacks)('responds to %s with an expected status, or closes the connection', async (_name, request, allowed) => {
    expect([undefined, ...allowed]).toContain(await responseTo(request));
    await serves();
  });

  it('responds to random bytes with 400, or closes the connection', async () => {
    for (let index = 0; index < 20 * ROUNDS; index += 1)
      expect([undefined, 400, 431]).toContain(await responseTo(garbage(1 + index * 50), '\r\n\r\n'));
    await serves();
  });

  it('ends requests that arrive byte by byte with 408 within the time limit, and delays no others', async () => {
    const slow = await Promise.all(
      [BEGINNING, `${BEGINNING}Content-Length: 1000\r\n\r\n`, `${BEGINNING}Transfer-Encoding: chunked\r\n\r\n`, 'G'].map(
        async (beginning) => {
          const socket = await openRaw(port);
          await socket.send(beginning);
          return socket;
        },
      ),
    );
    const drip = (socket: RawSocket): Promise<boolean> => {
      const timer = setInterval(() => void socket.send('a'), 100);
      return socket
        .closedOr(() => false)
        .finally(() => {
          clearInterval(timer);
        });
    };
    const ends = Promise.all(slow.map(drip));
    await serves();
    expect(await ends).toStrictEqual([true, true, true, true]);
    for (const socket of slow) expect([undefined, 400, 401, 408]).toContain(statuses(socket.received())[0]);
    expect(slow.some((socket) => statuses(socket.received()).includes(408))).toBe(true);
  });

  it('refuses an endless body at 64 KiB and closes its connection', async () => {
    for (const headers of [`Content-Length: ${10 * 2 ** 30}\r\n`, 'Transfer-Encoding: chunked\r\n']) {
      const socket = await openRaw(port);
      await socket.send(`${BEGINNING}X-API-KEY: ${partner.key}\r\n${headers}\r\n`);
      const chunk = headers.startsWith('T') ? `10000\r\n${'x'.repeat(65_536)}\r\n` : 'x'.repeat(65_536);
      const timer = setInterval(() => void socket.send(chunk), 20);
      await socket.closedOr(() => false);
      clearInterval(timer);
      expect([undefined, 413]).toContain(statuses(socket.received())[0]);
      expect(socket.socket.bytesWritten).toBeLessThan(2 ** 26);
    }
    await serves();
  });

  it('responds to pipelined requests in order, and closes a connection with too many', async () => {
    const pair = 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\nGET /nope HTTP/1.1\r\nHost: x\r\n\r\n';
    const socket = await openRaw(port);
    for (let round = 1; round <= 5; round += 1) {
      await socket.send(pair.repeat(8));
      await socket.closedOr((received) => statuses(received).length === 16 * round);
    }
    expect(statuses(socket.received())).toStrictEqual(Array.from({ length: 40 }, () => [200, 404]).flat());
    await socket.send(pair.repeat(50));
    expect(await socket.closedOr(() => false)).toBe(true);
    await serves();
  });

  it('sends 100 Continue when a client expects it', async () => {
    const socket = await openRaw(port);
    await socket.send(`${BEGINNING}X-API-KEY: ${partner.key}\r\nExpect: 100-continue\r\nContent-Length: 18\r\n\r\n`);
    await socket.closedOr((received) => received.includes('100 Continue'));
    await socket.send('{"rupa_id":"rp-1"}');
    await socket.closedOr((received) => statuses(received).length > 0);
    expect(statuses(socket.received())).toStrictEqual([200]);
    socket.destroy();
  });

  it('uses no more memory after hundreds of idle, half-closed or dropped connections', async () => {
    const pid = holderOf(service.dataDir);
    const flood = async (): Promise<void> => {
      const sockets = await Promise.all(Array.from({ length: 500 }, () => openRaw(port)));
      await Promise.all(
        sockets.map((socket, index) =>
          index % 3 === 0
            ? socket.send(BEGINNING)
            : index % 3 === 1
              ? socket.send('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
              : Promise.resolve(),
        ),
      );
      await serves();
      for (const [index, socket] of sockets.entries()) {
        if (index % 2 === 0) socket.socket.end();
        else socket.destroy();
      }
      await until(() => sockets.every(({ socket }) => socket.destroyed || socket.readableEnded));
      for (const [, request] of httpAttacks) await responseTo(request);
    };
    await flood();
    await flood();
    const before = footprintOf(pid);
    for (let round = 0; round < ROUNDS; round += 1) await flood();
    await untilShrunk(pid, before, serves);
    expect(service.output()).not.toMatch(/a request failed|uncaught/i);
  });
});
