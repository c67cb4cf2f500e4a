import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { footprintOf, untilShrunk } from '../support/hostile/footprint.js';
import { BATCH_APPEND, READ } from '../support/hostile/frame-attacks.js';
import { callHeaders, FLAG, headers, PREFACE, settings } from '../support/hostile/http2-frames.js';
import { batchAppend, read } from '../support/hostile/messages.js';
import { callRaw, framed, openSession } from '../support/hostile/raw-call.js';
import { openRaw } from '../support/hostile/raw-socket.js';
import { Witness } from '../support/hostile/witness.js';
import { until } from '../support/until.js';

const ROUNDS = Number(process.env.HOSTILE_ROUNDS ?? 2);
const MEBIBYTE = 1024 * 1024;
const MANY = 600;
/** Calls of a connection. The server announces 100, of which each test needs some for itself. */
const CALLS = 90;
const CALL = { ':method': 'POST', te: 'trailers', 'content-type': 'application/grpc' };

let store: EventStoreProcess;
let witness: Witness;

beforeAll(async () => {
  store = await startEventStoreProcess(['--max-old-space-size=128']);
  witness = new Witness(store.connectionString);
});
/** After each test the store still serves a new client, so the resources of the test were released. */
afterEach(() => witness.isServed());
afterAll(() => store.close());

/** Opens a call, sends the given bytes, and never ends the call. */
function begin(session: ClientHttp2Session, path: string, sent: Buffer = Buffer.alloc(0)): ClientHttp2Stream {
  const stream = session.request({ ...CALL, ':path': path });
  stream.on('error', () => undefined);
  if (sent.length > 0) stream.write(sent);
  return stream;
}

const closed = (stream: ClientHttp2Stream): Promise<unknown> => new Promise((resolve) => stream.once('close', resolve));

/** Repeats a round, and expects the server to use no more than after the first round. */
async function flat(round: () => Promise<void>): Promise<void> {
  await round();
  await witness.isServed();
  const before = footprintOf(store.pid);
  for (let index = 0; index < ROUNDS; index += 1) await round();
  await untilShrunk(store.pid, before, () => witness.isServed());
}

describe('unfinished calls', () => {
  it.each([
    ['without a message', READ, Buffer.alloc(0)],
    ['with an incomplete message', BATCH_APPEND, framed(Buffer.alloc(1_000), 2_000)],
    ['with an endless subscription', READ, framed(read({ stream: 'nothing', subscription: true }))],
    ['with an unfinished append', BATCH_APPEND, framed(batchAppend({ stream: 'unfinished', isFinal: false }))],
  ])('%s, by the hundred, delay no other calls and are released with their connection', async (_case, path, sent) => {
    await flat(async () => {
      const sessions = await Promise.all(Array.from({ length: Math.ceil(MANY / CALLS) }, () => openSession(store.port)));
      for (const session of sessions) {
        for (let index = 0; index < CALLS; index += 1) begin(session, path, sent);
        // This call is served after all the others of its connection, so the server has accepted those.
        expect((await callRaw(session, READ, framed(read({ stream: 'nothing' })))).status).toBe('responded');
      }
      await witness.isServed();
      for (const session of sessions) session.destroy();
    });
  });

  it('are refused beyond the server’s limit, and may be sent again', async () => {
    const sessions = await Promise.all(Array.from({ length: 50 }, () => openSession(store.port)));
    const calls = sessions.flatMap((session) => Array.from({ length: CALLS }, () => begin(session, READ)));
    let refused = 0;
    for (const call of calls) call.once('close', () => (refused += Number(call.rstCode === constants.NGHTTP2_REFUSED_STREAM)));
    await until(() => refused >= 50 * CALLS - 4_096);
    for (const session of sessions) session.destroy();
    // The server releases the calls once it has noticed that their connections are closed.
    const again = await openSession(store.port);
    await until(async () => (await callRaw(again, READ, framed(read({ stream: 'nothing' })))).status === 'responded');
    again.destroy();
  });

  it('are cut off when they hold too much memory, the largest first', async () => {
    const session = await openSession(store.port);
    session.setLocalWindowSize(2 ** 24);
    const large = Array.from({ length: 14 }, () => begin(session, BATCH_APPEND, framed(Buffer.alloc(15 * MEBIBYTE), 16 * MEBIBYTE)));
    const cut = await Promise.race(large.map((stream) => closed(stream).then(() => stream.rstCode)));
    expect(cut).toBe(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    await witness.isServed();
    session.destroy();
  });
});

describe('calls that are cancelled while their response is sent', () => {
  it('give its memory back, so that a larger call is not cut off', async () => {
    const session = await openSession(store.port);
    // The response repeats the name of the stream, and the call is cancelled at the first part of it.
    const stream = 'x'.repeat(MEBIBYTE);
    const append = (bytes: number) => callRaw(session, BATCH_APPEND, framed(batchAppend({ stream, data: Buffer.alloc(bytes) })));
    const outcomes = new Set<string>();
    // In all, three times the memory that the server has for calls.
    for (let index = 0; index < 200; index += 1) outcomes.add((await append(1 + (index % 2) * (MEBIBYTE / 2))).status);
    expect([...outcomes]).toStrictEqual(['responded']);
    session.destroy();
  });
});

describe('readers that never read', () => {
  beforeAll(async () => {
    const session = await openSession(store.port);
    for (let index = 0; index < 40; index += 1)
      expect(
        (await callRaw(session, BATCH_APPEND, framed(batchAppend({ stream: 'large', data: Buffer.alloc(MEBIBYTE / 2) })))).status,
      ).toBe('responded');
    session.destroy();
  });

  it('are sent what their window allows, while the rest stays on disk', async () => {
    await flat(async () => {
      const raw = await openRaw(store.port);
      raw.socket.pause();
      // With a window of 0 not a single event can be sent.
      await raw.send(PREFACE, settings([[4, 0]]));
      for (let stream = 1; stream < 2 * CALLS; stream += 2)
        await raw.send(
          headers(stream, callHeaders(READ)),
          dataOf(stream, framed(read({ stream: 'large', subscription: stream % 4 === 1 }))),
        );
      await witness.isServed();
      raw.destroy();
    });
  });
});

function dataOf(stream: number, bytes: Buffer): Buffer {
  const header = Buffer.alloc(9);
  header.writeUIntBE(bytes.length, 0, 3);
  header.writeUInt8(FLAG.endStream, 4);
  header.writeUInt32BE(stream, 5);
  return Buffer.concat([header, bytes]);
}

describe('connections', () => {
  it('without requests are limited to their share, and make room when they close', async () => {
    const before = footprintOf(store.pid);
    const sockets = await Promise.all(Array.from({ length: 1_000 }, () => openRaw(store.port)));
    await until(() => sockets.filter(({ socket }) => socket.destroyed).length >= 1_000 - 256);
    for (const socket of sockets) socket.destroy();
    await untilShrunk(store.pid, before, async () => {
      await until(async () => {
        const probe = await openRaw(store.port);
        await probe.send(PREFACE, settings());
        const isClosed = await probe.closedOr((received) => received.length > 0);
        probe.destroy();
        return !isClosed;
      });
    });
  });

  it('that vanish during appends and subscriptions leave no resources and no partial appends behind', async () => {
    await flat(async () => {
      for (let index = 0; index < 20; index += 1) {
        const session = await openSession(store.port);
        begin(session, READ, framed(read({ subscription: true })));
        const append = begin(session, BATCH_APPEND);
        const stream = `vanishing-${index}`;
        for (let part = 0; part < 20; part += 1) append.write(framed(batchAppend({ stream, count: 3, data: Buffer.alloc(1_000) })));
        if (index % 2 === 0) await new Promise((resolve) => append.once('data', resolve));
        session.destroy();
      }
    });
    const session = await openSession(store.port);
    const { data } = await callRaw(
      session,
      READ,
      framed(read({ stream: 'vanishing-0', count: '1', backwards: true, revision: '18446744073709551615' })),
    );
    expect(data.length).toBeGreaterThan(1_000);
    session.destroy();
  });
});
