import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ClientHttp2Session } from 'node:http2';
import { gzipSync } from 'node:zlib';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { peakFootprint, untilShrunk } from '../support/hostile/footprint.js';
import { BATCH_APPEND, READ } from '../support/hostile/frame-attacks.js';
import { batchAppend, read } from '../support/hostile/messages.js';
import { callRaw, framed, openSession } from '../support/hostile/raw-call.js';
import { Witness } from '../support/hostile/witness.js';

const RUNS = Number(process.env.FUZZ_RUNS ?? 150);
const MEBIBYTE = 1024 * 1024;
const APPEND = '/event_store.client.streams.Streams/Append';
const PATHS = [
  READ,
  BATCH_APPEND,
  APPEND,
  '/event_store.client.gossip.Gossip/Read',
  '/event_store.client.server_features.ServerFeatures/GetSupportedMethods',
  '/event_store.client.streams.Streams/Delete',
  '/',
  '',
];
const [OK, UNKNOWN, INVALID, EXPIRED, TOO_MUCH, WRONG_STATE, UNIMPLEMENTED, INTERNAL] = ['0', '2', '3', '4', '8', '9', '12', '13'];
/** How a call may end that no fault of the server ended: not with UNAVAILABLE or DATA_LOSS, for example. */
const KNOWN = ['responded', 'reset', 'http 415', OK, UNKNOWN, INVALID, EXPIRED, TOO_MUCH, WRONG_STATE, UNIMPLEMENTED, INTERNAL];

let store: EventStoreProcess;
let session: ClientHttp2Session;
let witness: Witness;

beforeAll(async () => {
  store = await startEventStoreProcess(['--max-old-space-size=128']);
  session = await openSession(store.port);
  witness = new Witness(store.connectionString);
});
afterEach(() => witness.isServed());
afterAll(async () => {
  session.destroy();
  await store.close();
});

let calls = 0;
/** A server ends a session that cuts off a thousand calls at once, and then each call on it looks like one that was cut off. */
const CALLS_A_SESSION = 400;

const statusOf = async (path: string, body: Buffer, headers = {}): Promise<string> => {
  calls += 1;
  if (calls % CALLS_A_SESSION === 0) {
    session.destroy();
    session = await openSession(store.port);
  }
  const { status } = await callRaw(session, path, body, headers);
  expect(session.closed).toBe(false);
  return status;
};

describe('a gRPC call', () => {
  it.each([
    ['an incomplete message', framed(Buffer.alloc(10), 1_000), [OK, UNKNOWN, INVALID, INTERNAL, UNIMPLEMENTED]],
    ['a length of 4 GiB', framed(Buffer.alloc(10), 2 ** 32 - 1), [TOO_MUCH]],
    ['a compressed message without an encoding', framed(Buffer.alloc(10), 10, 1), [OK, UNKNOWN, INVALID, INTERNAL, UNIMPLEMENTED]],
    ['an incomplete prefix', Buffer.alloc(3), [OK, UNKNOWN, INVALID, INTERNAL, UNIMPLEMENTED]],
    [
      'more messages than it takes',
      Buffer.concat([framed(read({ stream: 's' })), framed(Buffer.from([255]))]),
      [OK, UNKNOWN, INVALID, INTERNAL, UNIMPLEMENTED, 'responded'],
    ],
  ])('with %s ends', async (_case, body, expected) => {
    for (const path of [READ, BATCH_APPEND, APPEND])
      expect([path, [...expected, 'reset']]).toStrictEqual([path, expect.arrayContaining([await statusOf(path, body)])]);
  });

  it('with a message that decompresses beyond the size limit is refused', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * MEBIBYTE));
    expect(await statusOf(BATCH_APPEND, framed(bomb, bomb.length, 1), { 'grpc-encoding': 'gzip' })).toBe(TOO_MUCH);
  });

  it('with another content type or an unknown method is refused', async () => {
    expect(await statusOf(READ, framed(Buffer.alloc(0)), { 'content-type': 'text/plain' })).toBe('http 415');
    expect(await statusOf('/event_store.client.streams.Streams/Unknown', framed(Buffer.alloc(0)))).toBe(UNIMPLEMENTED);
  });
});

describe('a protobuf message', () => {
  const valid = [
    batchAppend({ data: Buffer.alloc(40) }),
    batchAppend({ count: 3, isFinal: false }),
    read({ stream: 's', revision: '3' }),
    read({ regex: '^a', subscription: true }),
    read({ prefixes: ['a'], position: '1' }),
  ];
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 });
  const changed = fc.tuple(fc.constantFrom(...valid), changes, fc.option(fc.nat())).map(([bytes, at, cut]) => {
    const copy = Buffer.from(bytes);
    for (const [offset, value] of at) copy[offset % copy.length] = value;
    return cut === null ? copy : copy.subarray(0, cut % copy.length);
  });
  const anything = fc.oneof(
    { weight: 3, arbitrary: changed },
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  );

  it('that is damaged or random gets a response or ends the call', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...PATHS), fc.array(anything, { minLength: 1, maxLength: 3 }), async (path, messages) => {
        const status = await statusOf(path, Buffer.concat(messages.map((one) => framed(one))));
        expect(KNOWN).toContain(status);
      }),
      // No time limit for a call: a busy machine takes long, and a call that never ends lets the test's own limit pass.
      { numRuns: RUNS * 4, endOnFailure: true },
    );
  });

  it('with millions of empty events is refused without being kept in memory', async () => {
    const events = Buffer.alloc(8 * MEBIBYTE);
    for (let at = 0; at < events.length; at += 2) events[at] = 0x1a;
    const round = async (): Promise<void> => {
      expect(await statusOf(BATCH_APPEND, framed(Buffer.concat([batchAppend({}), events])))).toBe('responded');
      // The field has another number in a plain append.
      expect(await statusOf(APPEND, framed(events))).toBe(UNKNOWN);
    };
    const before = await peakFootprint(store.pid, 4, round);
    for (let rounds = 0; rounds < 5; rounds += 1) await round();
    await untilShrunk(store.pid, before, round);
  });

  it('with a correlation id of megabytes ends the call', async () => {
    const correlation = Buffer.concat([Buffer.from([0x0a, 0x80, 0x80, 0x80, 0x02]), Buffer.alloc(4 * MEBIBYTE)]);
    expect(await statusOf(BATCH_APPEND, framed(correlation))).toBe(INTERNAL);
  });
});

describe('absurd names and numbers', () => {
  const names = fc.constantFrom<(string | Uint8Array)[]>(
    '',
    '\0',
    'a\0b',
    '$$',
    '$$$',
    '\u2028',
    'x'.repeat(1_024),
    'x'.repeat(1_025),
    'x'.repeat(60_000),
    'x'.repeat(MEBIBYTE),
    '💧'.repeat(300),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from([0xff, 0xfe]),
    Buffer.from([0xc0, 0x80]),
  );
  const numbers = fc.constantFrom(
    '0',
    '1',
    '9007199254740991',
    '9007199254740992',
    '9223372036854775807',
    '18446744073709551615',
    '281474976710656',
  );

  it('in appends get a response or an error', async () => {
    const appends = fc.record({
      stream: names,
      id: fc.constantFrom(undefined, '', 'x', '0'.repeat(36), 'x'.repeat(MEBIBYTE)),
      type: fc.constantFrom('Noted', '', '\0', '💧', 't'.repeat(2_000)),
      revision: fc.option(numbers, { nil: undefined }),
      count: fc.constantFrom(0, 1, 2),
    });
    await fc.assert(
      fc.asyncProperty(appends, async ({ id, revision, ...parts }) => {
        const body = batchAppend({ ...parts, ...(id === undefined ? {} : { id }), ...(revision === undefined ? {} : { revision }) });
        expect(['responded', INTERNAL]).toContain(await statusOf(BATCH_APPEND, framed(body)));
      }),
      { numRuns: RUNS },
    );
  });

  it('in reads get a response or an error', async () => {
    const reads = fc.record({
      stream: fc.option(names, { nil: undefined }),
      revision: fc.option(numbers, { nil: undefined }),
      position: fc.option(numbers, { nil: undefined }),
      count: numbers,
      backwards: fc.boolean(),
      subscription: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(reads, async (parts) => {
        const known = Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined));
        expect(['responded', OK, UNKNOWN, INVALID, UNIMPLEMENTED, INTERNAL]).toContain(await statusOf(READ, framed(read(known))));
      }),
      { numRuns: RUNS },
    );
  });

  it('that exceed the limits of an append are refused, and nothing is stored', async () => {
    expect(await statusOf(BATCH_APPEND, framed(batchAppend({ stream: 'large', data: Buffer.alloc(2 * MEBIBYTE) })))).toBe('responded');
    expect(await statusOf(BATCH_APPEND, framed(batchAppend({ stream: 'large', count: 25_001 })))).toBe('responded');
    const { data } = await callRaw(session, READ, framed(read({ stream: 'large' })));
    // The stream does not exist: the response says so and repeats its name.
    expect(data.subarray(5).toString('latin1')).toMatch(/large$/);
    expect(data.length).toBeLessThan(40);
  });
});

describe('a filter', () => {
  // Backtracking engines take exponential time for these expressions.
  const evil = ['(a+)+$', '(a|a)*b', '(a|aa)+$', '(.*a){20}$', '^(([a-z])+.)+[A-Z]([a-z])+$', '(x+x+)+y', '(?:a?){30}a{30}'];

  beforeAll(async () => {
    expect(await statusOf(BATCH_APPEND, framed(batchAppend({ stream: `${'a'.repeat(1_000)}!`, count: 50 })))).toBe('responded');
  });

  it.each(evil)('with the expression %s gets a response, while others are served', async (regex) => {
    const reading = statusOf(READ, framed(read({ regex, count: '18446744073709551615' })));
    await witness.isServed();
    expect(['responded', OK]).toContain(await reading);
  });

  it.each([
    ['too large to be matched in time', '(a|b|c|d){1000}', INVALID],
    ['too long', 'a'.repeat(5_000), INVALID],
    ['with a million instructions', `${'('.repeat(500)}${')'.repeat(500)}{1000}`, INVALID],
    ['with a look-ahead', '^(?!a)', UNIMPLEMENTED],
    ['with a back-reference', '(a)\\1', UNIMPLEMENTED],
    ['with a syntax error', '(', UNKNOWN],
  ])('%s is refused', async (_case, regex, status) => {
    expect(await statusOf(READ, framed(read({ regex })))).toBe(status);
    expect(['responded', status]).toContain(await statusOf(READ, framed(read({ regex, subscription: true }))));
  });

  it('with too many or too long prefixes is refused', async () => {
    expect(await statusOf(READ, framed(read({ prefixes: Array.from({ length: 300 }, (_, index) => `p${index}`) })))).toBe(INVALID);
    expect(await statusOf(READ, framed(read({ prefixes: ['x'.repeat(100_000)] })))).toBe(INTERNAL);
  });
});
