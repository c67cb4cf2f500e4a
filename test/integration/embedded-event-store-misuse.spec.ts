import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import grpc from '@grpc/grpc-js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { type EventStoreServer, startEventStoreServer } from '../../embedded/event-store/serving/server.js';
import { until } from '../support/until.js';

const MEBIBYTE = 1024 * 1024;
/** The error of an append whose parts did not arrive in time. */
const UNFINISHED = 'event_store.client.Timeout';

let dataDir: string;
let server: EventStoreServer;
let raw: grpc.Client;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'event-store-'));
  server = await startEventStoreServer({ dataDir });
  raw = new grpc.Client(`127.0.0.1:${server.port}`, grpc.credentials.createInsecure(), { 'grpc.max_send_message_length': -1 });
});

/** After every test, the server still serves a new client. */
afterEach(async () => {
  raw.close();
  const client = EventStoreDBClient.connectionString(server.connectionString);
  expect(await client.appendToStream(`after-${randomUUID()}`, jsonEvent({ type: 'Noted', data: {} }))).toMatchObject({
    success: true,
    nextExpectedRevision: 0n,
  });
  await client.dispose();
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
});

const path = (method: string): string => `/event_store.client.streams.Streams/${method}`;
const asItIs = (bytes: Buffer): Buffer => bytes;

function batchCall(): grpc.ClientDuplexStream<Buffer, Buffer> {
  return raw.makeBidiStreamRequest(path('BatchAppend'), asItIs, asItIs);
}

async function codeOf(call: NodeJS.EventEmitter): Promise<number> {
  call.on('error', () => undefined);
  call.on('data', () => undefined);
  return await new Promise((resolve) => {
    call.on('status', ({ code }: grpc.StatusObject) => {
      resolve(code);
    });
  });
}

function request(stream: string, parts: { size?: number; isFinal: boolean; type?: string; correlationId?: string }): Buffer {
  const { size = 1, isFinal, type = 'Noted', correlationId = randomUUID() } = parts;
  const event = new streams.BatchAppendReq.ProposedMessage().setId(new shared.UUID().setString(randomUUID())).setData(Buffer.alloc(size));
  event.getMetadataMap().set('content-type', 'application/octet-stream');
  if (type) event.getMetadataMap().set('type', type);
  const options = new streams.BatchAppendReq.Options()
    .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)))
    .setAny(new empty.Empty());
  const message = new streams.BatchAppendReq()
    .setCorrelationId(new shared.UUID().setString(correlationId))
    .setOptions(options)
    .setIsFinal(isFinal)
    .setProposedMessagesList([event]);
  return Buffer.from(message.serializeBinary());
}

async function responseTo(message: Buffer): Promise<streams.BatchAppendResp> {
  const call = batchCall();
  call.write(message);
  const [response] = (await once(call, 'data')) as [Buffer];
  call.end();
  expect(await codeOf(call)).toBe(grpc.status.OK);
  return streams.BatchAppendResp.deserializeBinary(new Uint8Array(response));
}

describe('a batch append', () => {
  it('of garbage ends with an error', async () => {
    for (const garbage of [
      Buffer.from([0xff, 0xff, 0xff]),
      Buffer.from([0x1a, 0x7f, 0x00]),
      Buffer.from([0x0f]),
      // A number that does not end. One in a thousand texts of random bytes is a message, after which the call goes on.
      Buffer.from([0x12, 0x80, 0x01, ...Array<number>(128).fill(0xff)]),
    ]) {
      const call = batchCall();
      call.write(garbage);
      expect(await codeOf(call)).toBe(grpc.status.INTERNAL);
    }
  });

  it('with a stream name that is not text is refused, and the call continues', async () => {
    const error = (await responseTo(Buffer.from([0x12, 0x07, 0x0a, 0x03, 0x1a, 0x01, 0xff, 0x22, 0x00, 0x20, 0x01]))).getError();
    expect(error?.getDetails()?.getTypeName()).toBe('event_store.client.BadRequest');
  });

  it('with unknown fields is accepted, and the fields are ignored', async () => {
    const response = await responseTo(
      Buffer.concat([request('s', { isFinal: true }), Buffer.from([0xf8, 0x7f, 0x01, 0xfa, 0x7f, 0x01, 0x00])]),
    );
    expect(response.getSuccess()?.getCurrentRevision()).toBe('0');
  });

  it('with a message above the size limit ends with an error', async () => {
    const call = batchCall();
    call.write(request('s', { size: 20 * MEBIBYTE, isFinal: true }));
    expect(await codeOf(call)).toBe(grpc.status.RESOURCE_EXHAUSTED);
  });

  /** Sends an append that never seems to end, and returns the type of the error that refuses it. */
  async function errorOfGrowing(): Promise<string | undefined> {
    const call = batchCall();
    const correlationId = randomUUID();
    call.write(request('s', { isFinal: false, correlationId }));
    for (let part = 0; part < 60; part += 1) {
      const event = new streams.BatchAppendReq.ProposedMessage().setId(new shared.UUID().setString(randomUUID()));
      event
        .setData(Buffer.alloc(3 * MEBIBYTE))
        .getMetadataMap()
        .set('type', 'Noted')
        .set('content-type', 'application/octet-stream');
      const message = new streams.BatchAppendReq()
        .setCorrelationId(new shared.UUID().setString(correlationId))
        .setProposedMessagesList([event])
        .setIsFinal(part === 59);
      if (!call.write(Buffer.from(message.serializeBinary()))) await once(call, 'drain');
    }
    const [response] = (await once(call, 'data')) as [Buffer];
    const error = streams.BatchAppendResp.deserializeBinary(new Uint8Array(response)).getError();
    call.end();
    expect(await codeOf(call)).toBe(grpc.status.OK);
    return error?.getDetails()?.getTypeName();
  }

  it('that keeps growing is refused as too large', async () => {
    // An append that a busy machine does not send within two seconds is refused because of that.
    const refusal = await until(async () => {
      const error = await errorOfGrowing();
      return error !== UNFINISHED && error;
    });
    expect(refusal).toBe('event_store.client.MaximumAppendSizeExceeded');
  });

  it('with many unfinished appends ends with an error', async () => {
    const call = batchCall();
    const code = codeOf(call);
    for (let index = 0; index < 400 && call.writable; index += 1) call.write(request('s', { isFinal: false }));
    expect(await code).toBe(grpc.status.RESOURCE_EXHAUSTED);
  });

  it('of an event without a type is refused, and the call continues', async () => {
    expect((await responseTo(request('s', { type: '', isFinal: true }))).getError()?.getMessage()).toContain('"type"');
  });

  it('without a first part is ignored', async () => {
    const call = batchCall();
    call.write(
      Buffer.from(new streams.BatchAppendReq().setCorrelationId(new shared.UUID().setString('x')).setIsFinal(true).serializeBinary()),
    );
    call.end();
    expect(await codeOf(call)).toBe(grpc.status.OK);
  });

  it('is acknowledged completely after the client has finished writing', async () => {
    const call = batchCall();
    const responses: Buffer[] = [];
    call.on('data', (response: Buffer) => responses.push(response));
    for (let index = 0; index < 200; index += 1) call.write(request('s', { isFinal: true }));
    call.end();
    expect(await codeOf(call)).toBe(grpc.status.OK);
    expect(responses).toHaveLength(200);
  });
});

describe('a plain append', () => {
  it('without options or with garbage ends with an error', async () => {
    const codes: number[] = [];
    for (const messages of [[], [Buffer.from([0xff])], [Buffer.alloc(0)]]) {
      const call = raw.makeClientStreamRequest(path('Append'), asItIs, asItIs, () => undefined);
      for (const message of messages) call.write(message);
      call.end();
      codes.push(await codeOf(call));
    }
    expect(codes).toEqual([grpc.status.UNKNOWN, grpc.status.INTERNAL, grpc.status.UNKNOWN]);
  });
});

describe('a read', () => {
  const { Options } = streams.ReadReq;
  it.each<[string, streams.ReadReq.Options | undefined]>([
    ['without options', undefined],
    ['of neither a stream nor all events', new Options()],
    ['of a stream without a name', new Options().setStream(new Options.StreamOptions())],
  ])('%s ends with an error', async (_case, options) => {
    const message = new streams.ReadReq();
    if (options) message.setOptions(options);
    const call = raw.makeServerStreamRequest(path('Read'), asItIs, asItIs, Buffer.from(message.serializeBinary()));
    expect(await codeOf(call)).toBe(grpc.status.INVALID_ARGUMENT);
  });

  it('of garbage ends with an error', async () => {
    expect(await codeOf(raw.makeServerStreamRequest(path('Read'), asItIs, asItIs, Buffer.from([0xff, 0xff])))).toBe(grpc.status.UNKNOWN);
  });
});

describe('a call of an unknown method', () => {
  it('is refused as not implemented', async () => {
    const call = raw.makeServerStreamRequest('/event_store.client.projections.Projections/Statistics', asItIs, asItIs, Buffer.alloc(0));
    expect(await codeOf(call)).toBe(grpc.status.UNIMPLEMENTED);
  });
});

describe('a plain HTTP request', () => {
  it.each([
    ['GET', '/health/live', 204],
    ['GET', '/stats', 404],
    ['POST', '/streams/wallet', 404],
  ])('%s %s is answered with %i', async (method, url, status) => {
    const response = await fetch(`http://127.0.0.1:${server.port}${url}`, { method });
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(status === 204 ? '' : 'gRPC');
  });
});

describe('a connection', () => {
  it('that does not speak HTTP/2 is closed', async () => {
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(randomBytes(1_000));
    socket.resume();
    const [hadError] = (await once(socket, 'close')) as [boolean];
    expect(typeof hadError).toBe('boolean');
  });

  it.each([
    ['sends nothing', ''],
    ['begins a plain HTTP request', 'GET /stats HTTP/1.1\r\n'],
    ['begins HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ])('that %s is closed when the server closes', async (_case, bytes) => {
    const other = await startEventStoreServer({ dataDir: join(dataDir, 'other') });
    const socket = connect(other.port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    socket.write(bytes);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await other.close();
    await closed;
    expect(socket.destroyed).toBe(true);
  });
});
