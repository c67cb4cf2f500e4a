import code from '@eventstore/db-client/generated/code_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import type streams from '@eventstore/db-client/generated/streams_pb.js';
import { type EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import grpc from '@grpc/grpc-js';
import { randomUUID } from 'node:crypto';
import { eachInTime } from '../support/in-time.js';
import {
  BatchCall,
  openChannel,
  plainAppend,
  plainCall,
  plainRequests,
  structuredUuid,
  uuid,
  type WireAppend,
} from '../support/store-protocol.js';
import { connect, newStream, type StoreUnderTest, storeUnderTest } from '../support/store-under-test.js';
import { until } from '../support/until.js';

const { Code } = code;
const MEBIBYTE = 1024 * 1024;

let store: StoreUnderTest;
let client: EventStoreDBClient;
let channel: grpc.Client;
let call: BatchCall;

beforeAll(async () => {
  store = await storeUnderTest();
  client = connect(store);
  channel = openChannel(store.connectionString);
});

afterAll(async () => {
  channel.close();
  await client.dispose();
  await store.stop();
});

const whole = (more: WireAppend = {}): WireAppend => ({
  correlation: uuid(),
  stream: newStream(),
  expected: 'any',
  events: [{ id: uuid() }],
  ...more,
});

async function countIn(stream: string): Promise<number> {
  let count = 0;
  try {
    for await (const { event } of eachInTime(client.readStream(stream))) if (event) count += 1;
  } catch (error) {
    expect(error).toMatchObject({ type: 'stream-not-found' });
  }
  return count;
}

/** Type and code of an error in a response. */
function errorOf(response: streams.BatchAppendResp): [type: string | undefined, code: number | undefined] {
  const error = response.getError();
  return [error?.getDetails()?.getTypeName().replace('event_store.client.', ''), error?.getCode()];
}

const BAD_REQUEST = ['BadRequest', Code.INVALID_ARGUMENT];
const TIMEOUT = ['Timeout', Code.DEADLINE_EXCEEDED];
const TOO_LARGE = ['MaximumAppendSizeExceeded', Code.INVALID_ARGUMENT];
const WRONG_VERSION = ['WrongExpectedVersion', Code.ALREADY_EXISTS];

describe('a BatchAppend call', () => {
  beforeEach(() => {
    call = new BatchCall(channel);
  });

  /** After every response, the call goes on. */
  afterEach(async () => {
    const last = whole();
    const response = await call.responseTo(last);
    expect(response.getCorrelationId()?.getString()).toBe(last.correlation?.getString());
    expect(response.getSuccess()?.getCurrentRevision()).toBe('0');
    call.cancel();
  });

  it('repeats the correlation id in the form in which it was sent, and the name of the stream', async () => {
    const id = randomUUID();
    for (const correlation of [uuid(id), uuid(id.toUpperCase()), structuredUuid(id)]) {
      const append = whole({ correlation });
      const response = await call.responseTo(append);
      expect(response.getCorrelationId()?.toObject()).toEqual(correlation.toObject());
      expect(Buffer.from(response.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(append.stream);
    }
  });

  it.each<[string, WireAppend]>([
    ['no stream', { stream: undefined }],
    ['an empty stream name', { stream: '' }],
    ['no expected revision', { expected: undefined }],
    ['an expected revision of 2^63', { expected: 2n ** 63n }],
    ['no correlation id', { correlation: undefined }],
    ['a correlation id that is not a UUID', { correlation: uuid('nonsense') }],
    ['an event without an id', { events: [{ id: uuid() }, {}] }],
    ['an event whose id is not a UUID', { events: [{ id: uuid('nonsense') }] }],
    ['an event whose id has only zeros', { events: [{ id: uuid('00000000-0000-0000-0000-000000000000') }] }],
    ['an event without a type', { events: [{ id: uuid(), metadata: { 'content-type': 'application/json' } }] }],
    ['an event with an empty type', { events: [{ id: uuid(), metadata: { type: '', 'content-type': 'application/json' } }] }],
    ['an event without a content type', { events: [{ id: uuid(), metadata: { type: 'Noted' } }] }],
  ])('refuses an append with %s as a bad request', async (_case, fault) => {
    const append = whole(fault);
    const response = await call.responseTo(append);
    expect(errorOf(response)).toEqual(BAD_REQUEST);
    expect(response.getCorrelationId()?.toObject()).toEqual(append.correlation?.toObject());
    expect(response.hasStreamIdentifier()).toBe(append.stream !== undefined);
    if (append.stream) expect(await countIn(append.stream)).toBe(0);
  });

  it('responds to a wrong revision with both revisions', async () => {
    const stream = newStream();
    await call.responseTo(whole({ stream }));
    for (const [expected, shown] of [
      ['no_stream', { expectedNoStream: {} }],
      [2n ** 64n - 1n, { expectedNoStream: {} }],
      [7n, { expectedStreamPosition: '7' }],
    ] as const) {
      const response = await call.responseTo(whole({ stream, expected }));
      expect(errorOf(response)).toEqual(WRONG_VERSION);
      const bytes = response.getError()?.getDetails()?.getValue_asU8() ?? new Uint8Array();
      expect(shared.WrongExpectedVersion.deserializeBinary(bytes).toObject()).toMatchObject({ currentStreamRevision: '0', ...shown });
    }
  });

  it.each<[string, WireAppend['deadline'], boolean]>([
    ['a time that has passed', new Date(Date.now() - 1_000), false],
    ['the year 1970', new Date(0), false],
    ['a far time', new Date('2099-01-01'), true],
    ['a duration of nothing', 0, false],
    ['a negative duration', -1_500, false],
    ['a duration', 60_000, true],
  ])('honours a deadline that is %s', async (_case, deadline, isInTime) => {
    const append = whole({ deadline });
    const response = await call.responseTo(append);
    expect(errorOf(response)).toEqual(isInTime ? [undefined, undefined] : TIMEOUT);
    expect(await countIn(append.stream ?? '')).toBe(isInTime ? 1 : 0);
  });

  it('honours a deadline that is a fraction of a second', async () => {
    // A busy machine may deliver an append when its deadline has passed.
    const append = await until(async () => {
      const sent = whole({ deadline: 900 });
      const [type] = errorOf(await call.responseTo(sent));
      expect([undefined, TIMEOUT[0]]).toContain(type);
      return type === undefined && sent;
    });
    expect(await countIn(append.stream ?? '')).toBe(1);
  });

  it('writes an append in parts when the last part has come, by the options of the first part alone', async () => {
    const [stream, other, correlation] = [newStream(), newStream(), randomUUID()];
    const part = (more: WireAppend): WireAppend => ({ events: [{ id: uuid() }], isFinal: false, hasOptions: false, ...more });
    call.send(part({ correlation: uuid(correlation), hasOptions: true, stream, expected: 'no_stream', deadline: 60_000 }));
    call.send(part({ correlation: structuredUuid(correlation) }));
    const between = whole();
    expect((await call.responseTo(between)).getCorrelationId()?.getString()).toBe(between.correlation?.getString());
    expect(await countIn(stream)).toBe(0);
    const options = { hasOptions: true, stream: other, expected: 5n };
    const response = await call.responseTo(part({ correlation: uuid(correlation.toUpperCase()), isFinal: true, ...options }));
    expect(response.getSuccess()?.getCurrentRevision()).toBe('2');
    expect([await countIn(stream), await countIn(other)]).toEqual([3, 0]);
  });

  it.each<[string, () => WireAppend['deadline']]>([
    ['a time', () => new Date(Date.now() + 100)],
    ['a duration', () => 100],
  ])(
    'responds to an append whose last part does not come at its deadline, which is %s, and ignores what comes later',
    async (_case, at) => {
      const [stream, correlation] = [newStream(), randomUUID()];
      const response = await call.responseTo(whole({ correlation: uuid(correlation), stream, deadline: at(), isFinal: false }));
      expect(errorOf(response)).toEqual(TIMEOUT);
      expect(response.getCorrelationId()?.toObject()).toEqual(structuredUuid(correlation).toObject());
      call.send({ correlation: uuid(correlation), events: [{ id: uuid() }], hasOptions: false });
      const next = whole();
      expect((await call.responseTo(next)).getCorrelationId()?.getString()).toBe(next.correlation?.getString());
      expect(await countIn(stream)).toBe(0);
    },
  );

  // KurrentDB from 26.0 takes more than 1 MiB.
  it('responds to an append as soon as a part makes it too large, or takes the part', async () => {
    const [stream, id, between] = [newStream(), randomUUID(), whole()];
    const part = { correlation: uuid(id), events: [{ id: uuid(), data: Buffer.alloc(MEBIBYTE) }], isFinal: false };
    call.send({ ...part, stream, expected: 'any' });
    call.send({ ...part, events: [{ id: uuid() }], hasOptions: false });
    let response = await call.responseTo(between);
    const isTaken = response.getCorrelationId()?.getString() === between.correlation?.getString();
    if (!isTaken) {
      expect(errorOf(response)).toEqual(TOO_LARGE);
      response = await call.response();
    }
    expect(response.getCorrelationId()?.getString()).toBe(between.correlation?.getString());
    call.send({ ...part, events: [], hasOptions: false, isFinal: true });
    if (isTaken) expect((await call.response()).hasSuccess()).toBe(true);
    const next = whole();
    expect((await call.responseTo(next)).getCorrelationId()?.getString()).toBe(next.correlation?.getString());
    expect(await countIn(stream)).toBe(isTaken ? 2 : 0);
  });

  it('ignores a part without a first part', async () => {
    call.send(whole({ hasOptions: false }));
    expect((await call.responseTo(whole())).hasSuccess()).toBe(true);
  });

  it('records only whether an event is JSON', async () => {
    const stream = newStream();
    for (const type of ['application/json', 'application/octet-stream', 'text/plain', 'APPLICATION/JSON', 'application/vnd.x+json'])
      await call.responseTo(whole({ stream, events: [{ id: uuid(), metadata: { type: 'Noted', 'content-type': type } }] }));
    const types = [];
    for await (const { event } of eachInTime(client.readStream(stream))) types.push(event?.isJson);
    expect(types).toEqual([true, false, false, false, false]);
  });
});

describe('a plain Append call', () => {
  it.each<[string, WireAppend, grpc.status, string]>([
    ['no options', { hasOptions: false }, grpc.status.UNKNOWN, ''],
    ['neither options nor events', { hasOptions: false, events: [] }, grpc.status.UNKNOWN, ''],
    ['no stream', { stream: undefined }, grpc.status.UNKNOWN, ''],
    ['no expected revision', { expected: undefined }, grpc.status.INVALID_ARGUMENT, ''],
    ['an expected revision of 2^63', { expected: 2n ** 63n }, grpc.status.UNKNOWN, ''],
    ['an event without an id', { events: [{}] }, grpc.status.UNKNOWN, ''],
    ['an event with an empty type', { events: [{ id: uuid(), metadata: { type: '', 'content-type': 'x' } }] }, grpc.status.UNKNOWN, ''],
    [
      'an event without a type',
      { events: [{ id: uuid(), metadata: { 'content-type': 'application/json' } }] },
      grpc.status.INVALID_ARGUMENT,
      'missing-required-metadata-property',
    ],
    [
      'an event without a content type',
      { events: [{ id: uuid(), metadata: { type: 'Noted' } }] },
      grpc.status.INVALID_ARGUMENT,
      'missing-required-metadata-property',
    ],
  ])('with %s ends with an error', async (_case, fault, status, exception) => {
    const append = whole(fault);
    expect(await plainAppend(channel, append)).toMatchObject({ code: status, exception });
    if (append.stream) expect(await countIn(append.stream)).toBe(0);
  });

  it('with options twice, or an empty message, ends with an error, and nothing is written', async () => {
    for (const second of [plainRequests(whole()), [Buffer.alloc(0)]]) {
      const { stream, ...append } = whole();
      const { call: plain, result } = plainCall(channel);
      for (const message of [...plainRequests({ stream, ...append }), ...second]) plain.write(message);
      plain.end();
      expect(await result).toMatchObject({ code: grpc.status.UNKNOWN });
      expect(await countIn(stream ?? '')).toBe(0);
    }
  });

  it('responds to a wrong revision with both revisions, also for clients of version 20.6', async () => {
    const stream = newStream();
    await plainAppend(channel, whole({ stream }));
    const wrongFor = async (expected: WireAppend['expected']): Promise<object | undefined> =>
      (await plainAppend(channel, whole({ stream, expected }))).response?.getWrongExpectedVersion()?.toObject();
    expect(await wrongFor(7n)).toMatchObject({
      currentRevision: '0',
      expectedRevision: '7',
      currentRevision2060: 0,
      expectedRevision2060: 7,
    });
    expect(await wrongFor('no_stream')).toMatchObject({ currentRevision: '0', expectedNoStream: {}, expectedRevision2060: 2 ** 64 });
  });
});
