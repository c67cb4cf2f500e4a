import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isUtf8 } from 'node:buffer';
import { decodeRawResponse, decodeReadResponse } from './read-message.js';

const { ReadEvent } = streams.ReadResp;
const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const counter = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const object = fc.dictionary(
  fc.string({ minLength: 1 }).filter((key) => key !== '__proto__'),
  fc.oneof(text, fc.integer(), fc.constant(null), fc.array(text)),
  { noNullPrototype: true },
);
const anyEvent = fc.record({
  id: fc.uuid(),
  stream: text.filter((stream) => !stream.startsWith('$')),
  type: text.filter((type) => !type.startsWith('$')),
  revision: counter,
  position: counter,
  data: object,
  metadata: object,
});
type AnyEvent = typeof anyEvent extends fc.Arbitrary<infer Event> ? Event : never;

function isJson(value: Buffer): boolean {
  try {
    return JSON.parse(value.toString()) !== undefined;
  } catch {
    return false;
  }
}

const bytes = (value: object | string): Uint8Array => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));

function recorded({
  id,
  stream,
  type,
  revision,
  position,
  data,
  metadata,
  created = '17000000000000000',
}: Omit<AnyEvent, 'data'> & { data: object | string; created?: string }): InstanceType<typeof ReadEvent.RecordedEvent> {
  const event = new ReadEvent.RecordedEvent();
  event.setId(new shared.UUID().setString(id)).setStreamIdentifier(new shared.StreamIdentifier().setStreamName(bytes(stream)));
  event.setStreamRevision(String(revision)).setCommitPosition(String(position)).setPreparePosition(String(position));
  event.getMetadataMap().set('created', created).set('type', type).set('content-type', 'application/json');
  event.setCustomMetadata(bytes(metadata));
  event.setData(bytes(data));
  return event;
}

function encoded(event: InstanceType<typeof ReadEvent.RecordedEvent>): Buffer {
  const link = recorded({ id: 'l', stream: 'links', type: '$>', revision: 1, position: 1, data: '0@stream', metadata: {} });
  const read = new ReadEvent().setLink(link).setEvent(event).setCommitPosition('18446744073709551615');
  return Buffer.from(new streams.ReadResp().setEvent(read).serializeBinary());
}

describe('a read response that the generated code encoded', () => {
  it('is decoded into an event', () => {
    fc.assert(
      fc.property(anyEvent, (event) => {
        // toStrictEqual would take a field named "constructor" for a difference in type.
        const { revision, position, ...rest } = event;
        expect(decodeReadResponse(encoded(recorded(event))).entry).toEqual({
          position: BigInt(position),
          createdMs: 1_700_000_000_000,
          event: { ...rest, revision: BigInt(revision), position: BigInt(position) },
        });
      }),
    );
  });

  it('has an object as data only if its bytes are UTF-8', () => {
    const at = { id: 'an-id', stream: 's', type: 'T', revision: 3, position: 4, data: {}, metadata: {} };
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), fc.constantFrom('data' as const, 'metadata' as const), (inside, part) => {
        const event = recorded(at);
        const value = Buffer.concat([Buffer.from('{"name":"\uFFFD'), inside, Buffer.from('"}')]);
        if (part === 'data') event.setData(value);
        else event.setCustomMetadata(value);
        const decoded = decodeReadResponse(encoded(event)).entry?.event?.[part];
        expect(typeof decoded).toBe(isUtf8(value) && isJson(value) ? 'object' : 'string');
      }),
    );
  });

  it('is decoded with the exact bytes of the log, whatever they are', () => {
    fc.assert(
      fc.property(anyEvent, fc.uint8Array(), fc.uint8Array(), ({ stream, type, ...at }, data, metadata) => {
        const event = recorded({ ...at, stream, type, data: {}, metadata: {} });
        event.setData(data);
        event.setCustomMetadata(metadata);
        expect(decodeRawResponse(encoded(event)).entry?.event).toMatchObject({
          stream,
          type,
          revision: BigInt(at.revision),
          data: Buffer.from(data),
          metadata: Buffer.from(metadata),
        });
      }),
    );
  });

  it('is decoded with the time of recording in whole milliseconds', () => {
    const event = { id: 'an-id', stream: 's', type: 'T', revision: 3, position: 4, data: {}, metadata: {} };
    fc.assert(
      fc.property(fc.nat({ max: 8_640_000_000_000_000 }), fc.nat({ max: 9_999 }), (createdMs, ticks) => {
        const created = `${createdMs}${ticks.toString().padStart(4, '0')}`;
        expect(decodeReadResponse(encoded(recorded({ ...event, created }))).entry).toMatchObject({ createdMs });
      }),
    );
  });

  it("is decoded into an entry without an event for one of the store's own, whose data may not be JSON", () => {
    const entry = recorded({ id: 'l', stream: '$stats', type: '$>', revision: 1, position: 9, data: '0@stream', metadata: {} });
    expect(decodeReadResponse(encoded(entry)).entry).toStrictEqual({ position: 9n, createdMs: 1_700_000_000_000, event: undefined });
  });

  it('is decoded into an entry without an event for any event of a stream that begins with "$", whatever its type', () => {
    fc.assert(
      fc.property(anyEvent, fc.oneof(object, text), ({ stream, ...event }, data) => {
        const entry = recorded({ ...event, stream: `$${stream}`, data });
        expect(decodeReadResponse(encoded(entry)).entry).toStrictEqual({
          position: BigInt(event.position),
          createdMs: 1_700_000_000_000,
          event: undefined,
        });
      }),
    );
  });

  it('is decoded into no entry for a checkpoint, the end of catching up and a missing stream', () => {
    const checkpoint = new streams.ReadResp().setCheckpoint(
      new streams.ReadResp.Checkpoint().setCommitPosition('7').setPreparePosition('7'),
    );
    const caughtUp = new streams.ReadResp().setCaughtUp(new streams.ReadResp.CaughtUp());
    const missing = new streams.ReadResp().setStreamNotFound(new streams.ReadResp.StreamNotFound());
    const decoded = [checkpoint, missing, caughtUp].map((response) => decodeReadResponse(Buffer.from(response.serializeBinary())));
    expect(decoded).toStrictEqual([{}, {}, { caughtUp: true }]);
  });

  it('keeps data that is not JSON as text, and is refused if it is cut off', () => {
    const event = { id: 'an-id', stream: 's', type: 'T', revision: 3, position: 4, metadata: {} };
    expect(decodeReadResponse(encoded(recorded({ ...event, data: '{' }))).entry?.event).toMatchObject({
      stream: 's',
      revision: 3n,
      data: '{',
    });
    const whole = encoded(recorded({ ...event, data: {} }));
    for (let length = 1; length < whole.length; length += 1) expect(() => decodeReadResponse(whole.subarray(0, length))).toThrow('cut off');
  });
});
