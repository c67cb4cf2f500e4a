import { randomBytes } from 'node:crypto';
import {
  callHeaders,
  data,
  FLAG,
  frame,
  headers,
  literal,
  message,
  ping,
  PREFACE,
  reset,
  settings,
  TYPE,
  windowUpdate,
} from './http2-frames.js';
import { type RawSocket } from './raw-socket.js';
import { type Random } from '../random.js';

export const READ = '/event_store.client.streams.Streams/Read';
export const BATCH_APPEND = '/event_store.client.streams.Streams/BatchAppend';
const BEGINNING = Buffer.concat([PREFACE, settings()]);

type Attack = (socket: RawSocket, random: Random) => Promise<void>;

/** Attacks on an HTTP/2 server, each on a connection of its own. */
export const frameAttacks: Readonly<Record<string, Attack>> = {
  'random bytes': (socket, random) => socket.send(randomBytes(random.between(1, 4_000))),
  'an incomplete preface': (socket, random) => socket.send(PREFACE.subarray(0, random.between(1, PREFACE.length - 1))),
  'a preface and random bytes': (socket, random) => socket.send(PREFACE, randomBytes(random.between(1, 4_000))),
  'HTTP/1': (socket) => socket.send('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n'),
  'random frames': async (socket, random) => {
    await socket.send(BEGINNING);
    for (let index = 0; index < 50; index += 1)
      await socket.send(
        frame(
          random.between(0, 12),
          random.between(0, 255),
          random.pick([0, 1, 2, 3, 5, 2 ** 31 - 1, 2 ** 31]),
          randomBytes(random.between(0, 64)),
        ),
      );
  },
  'frames above the negotiated size': (socket) => socket.send(BEGINNING, headers(1, callHeaders(READ)), data(1, Buffer.alloc(1024 * 1024))),
  'a frame that is shorter than it claims': (socket) =>
    socket.send(BEGINNING, frame(TYPE.headers, FLAG.endHeaders, 1, callHeaders(READ), 16_384)),
  'data on streams that were never opened': (socket) =>
    socket.send(BEGINNING, ...[0, 1, 2, 7, 2 ** 31 - 1].map((stream) => data(stream, Buffer.alloc(100)))),
  'stream ids that are even or decrease': (socket) =>
    socket.send(BEGINNING, ...[9, 2, 3, 9, 1].map((stream) => headers(stream, callHeaders(READ)))),
  'padding longer than its frame': (socket) =>
    socket.send(BEGINNING, headers(1, callHeaders(BATCH_APPEND)), frame(TYPE.data, FLAG.padded, 1, Buffer.from([255, 1, 2]))),
  'invalid settings': (socket) =>
    socket.send(
      PREFACE,
      settings([
        [4, 2 ** 32 - 1],
        [5, 1],
        [2, 7],
        [3, 0],
      ]),
    ),
  'a flood of settings': (socket) => socket.send(BEGINNING, ...floodOf(settings([[4, 65_535]]), 5_000)),
  'a flood of pings': (socket) => socket.send(BEGINNING, ...floodOf(ping('flood'), 20_000)),
  'calls that are reset at once (rapid reset)': async (socket) => {
    await socket.send(BEGINNING);
    for (let stream = 1; stream < 8_000; stream += 2)
      await socket.send(
        Buffer.concat([headers(stream, callHeaders(stream % 4 === 1 ? READ : '/no/such'), FLAG.endHeaders), reset(stream)]),
      );
  },
  'resets of streams that were never opened': (socket) => socket.send(BEGINNING, ...floodOf(reset(1), 5_000)),
  'an endless header (CONTINUATION flood)': async (socket) => {
    await socket.send(BEGINNING, headers(1, callHeaders(READ), 0));
    for (let index = 0; index < 3_000; index += 1) await socket.send(frame(TYPE.continuation, 0, 1, literal('x-more', 'y'.repeat(200))));
  },
  'empty continuations': (socket) =>
    socket.send(BEGINNING, headers(1, callHeaders(READ), 0), ...floodOf(frame(TYPE.continuation, 0, 1), 5_000)),
  'a header bomb by reference': async (socket) => {
    // One large entry in the table is referenced again and again by a single byte.
    const block = Buffer.concat([callHeaders(READ), literal('x-bomb', 'y'.repeat(3_900), true), Buffer.alloc(12_000, 0x80 | 62)]);
    await socket.send(BEGINNING);
    for (let stream = 1; stream < 40; stream += 2) await socket.send(headers(stream, block));
  },
  'thousands of headers': (socket) =>
    socket.send(
      BEGINNING,
      headers(1, Buffer.concat([callHeaders(READ), ...Array.from({ length: 1_000 }, (_, index) => literal(`x-${index}`, 'y'))])),
    ),
  'garbage instead of compressed headers': (socket, random) => socket.send(BEGINNING, headers(1, randomBytes(random.between(1, 200)))),
  'headers without a method, a path, or with two of them': (socket) =>
    socket.send(
      BEGINNING,
      headers(1, literal('te', 'trailers')),
      headers(3, Buffer.concat([callHeaders(READ), literal(':path', '/other')])),
      headers(5, callHeaders('')),
      headers(7, callHeaders('*', { ':method': 'OPTIONS' })),
      headers(9, literal(':method', 'CONNECT')),
    ),
  'another content type, or none': (socket) =>
    socket.send(
      BEGINNING,
      headers(1, callHeaders(READ, { 'content-type': 'text/html' })),
      headers(3, callHeaders(READ, { 'content-type': '' })),
      headers(5, callHeaders(READ, { 'content-type': 'application/grpc-web+json' })),
    ),
  'invalid timeouts and encodings': (socket) =>
    socket.send(
      BEGINNING,
      ...['-1S', '99999999999H', 'soon', '0n', '99999999H'].map((timeout, index) =>
        headers(1 + index * 2, callHeaders(BATCH_APPEND, { 'grpc-timeout': timeout })),
      ),
      headers(21, callHeaders(BATCH_APPEND, { 'grpc-encoding': 'zip' })),
      data(21, message(Buffer.alloc(3), 3, 1)),
      headers(23, callHeaders(BATCH_APPEND, { 'x-bin': '!!!', 'grpc-trace-bin': 'a' })),
    ),
  'a window that overflows, and an update by 0': (socket) =>
    socket.send(
      BEGINNING,
      headers(1, callHeaders(BATCH_APPEND)),
      windowUpdate(0, 0),
      windowUpdate(1, 2 ** 31 - 1),
      windowUpdate(1, 2 ** 31 - 1),
    ),
  'a GOAWAY, and calls after it': (socket) =>
    socket.send(
      BEGINNING,
      frame(TYPE.goAway, 0, 0, Buffer.alloc(8)),
      headers(1, callHeaders('/no/such')),
      headers(3, callHeaders(READ, { 'content-type': 'x' })),
    ),
};

function* floodOf(one: Buffer, count: number): Generator<Buffer> {
  const bundle = 100;
  for (let sent = 0; sent < count; sent += bundle) yield Buffer.concat(Array.from({ length: bundle }, () => one));
}
