import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import protobuf from 'google-protobuf';
import { Duration } from 'google-protobuf/google/protobuf/duration_pb.js';
import empty from 'google-protobuf/google/protobuf/empty_pb.js';
import timestamp from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { Fields, MalformedMessage } from '../../../src/platform/event-sourcing/coding/protobuf.js';
import {
  decodeBatchAppend,
  decodePlainAppend,
  encodeAppended,
  encodeRecord,
  encodeRejected,
  recordFacts,
  streamOf,
  typeOf,
  uuidText,
} from './wire.js';
import { uuidBytes } from './uuid.js';

const text = fc.string({ unit: 'grapheme', maxLength: 40 });
const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
const counter = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const contentType = fc.oneof(fc.constant('application/json'), text);
const event = fc.record({ id: fc.uuid(), type: text, contentType, data: bytes, customMetadata: bytes });
/** EventStoreDB tells only JSON from everything else. */
const recordedType = (given: string): string => (given === 'application/json' ? given : 'application/octet-stream');

type Proposed = streams.BatchAppendReq.ProposedMessage | streams.AppendReq.ProposedMessage;

function fill<T extends Proposed>(
  message: T,
  { id, type, contentType, data, customMetadata }: { id: string; type: string; contentType: string; data: Buffer; customMetadata: Buffer },
): T {
  message.setId(new shared.UUID().setString(id));
  message.getMetadataMap().set('type', type).set('content-type', contentType).set('more', 'ignored');
  message.setData(data);
  message.setCustomMetadata(customMetadata);
  return message;
}

describe('an append that the generated code encoded', () => {
  it('is decoded with all its fields', () => {
    fc.assert(
      fc.property(
        text,
        fc.bigInt(0n, 2n ** 64n - 1n),
        fc.uuid(),
        fc.array(event, { maxLength: 4 }),
        fc.boolean(),
        (stream, revision, correlation, events, isFinal) => {
          const options = new streams.BatchAppendReq.Options();
          options.setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from(stream)));
          options.setStreamPosition(revision.toString());
          options.setDeadline(timestamp.Timestamp.fromDate(new Date(1_700_000_000_123)));
          const request = new streams.BatchAppendReq();
          request.setCorrelationId(new shared.UUID().setString(correlation)).setOptions(options).setIsFinal(isFinal);
          request.setProposedMessagesList(events.map((one) => fill(new streams.BatchAppendReq.ProposedMessage(), one)));
          const decoded = decodeBatchAppend(Buffer.from(request.serializeBinary()));
          expect(uuidText(new Fields(decoded.correlationId))).toBe(correlation);
          expect(decoded.options).toEqual({
            stream: Buffer.from(stream),
            expected: { kind: 'exact', revision },
            deadline: { at: 1_700_000_000_123 },
          });
          expect(decoded.isFinal).toBe(isFinal);
          expect(decoded.events).toEqual(
            events.map((one) => ({ ...one, type: Buffer.from(one.type), contentType: Buffer.from(recordedType(one.contentType)) })),
          );
        },
      ),
    );
  });

  it.each([
    ['no_stream', (options: streams.BatchAppendReq.Options) => options.setNoStream(new empty.Empty())],
    ['any', (options: streams.BatchAppendReq.Options) => options.setAny(new empty.Empty())],
    ['stream_exists', (options: streams.BatchAppendReq.Options) => options.setStreamExists(new empty.Empty())],
  ])('is decoded with the expectation %s', (kind, set) => {
    const request = new streams.BatchAppendReq().setOptions(set(new streams.BatchAppendReq.Options()));
    expect(decodeBatchAppend(Buffer.from(request.serializeBinary())).options?.expected).toEqual({ kind });
  });

  it('is decoded with a duration for a deadline, of either sign', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1_000_000, max: 1_000_000 }), fc.boolean(), (milliseconds, isTimestamp) => {
        const duration = new Duration();
        duration.setSeconds(Math.trunc(milliseconds / 1_000));
        duration.setNanos((milliseconds % 1_000) * 1e6);
        const options = new protobuf.BinaryWriter();
        options.writeBytes(isTimestamp ? 6 : 7, duration.serializeBinary());
        const request = new protobuf.BinaryWriter();
        request.writeBytes(2, options.getResultBuffer());
        const decoded = decodeBatchAppend(Buffer.from(request.getResultBuffer())).options;
        expect(decoded).toEqual({
          stream: undefined,
          expected: undefined,
          deadline: isTimestamp ? { at: milliseconds } : { after: milliseconds },
        });
      }),
    );
  });

  it('is decoded in a plain call, too', () => {
    const one = {
      id: '0a1b2c3d-0000-4000-8000-00000000000f',
      type: 'T',
      contentType: 'application/json',
      data: Buffer.from('{}'),
      customMetadata: Buffer.alloc(0),
    };
    const request = new streams.AppendReq().setProposedMessage(fill(new streams.AppendReq.ProposedMessage(), one));
    expect(decodePlainAppend(Buffer.from(request.serializeBinary())).events).toMatchObject([{ id: one.id, data: one.data }]);
    const options = new streams.AppendReq.Options()
      .setRevision('7')
      .setStreamIdentifier(new shared.StreamIdentifier().setStreamName(Buffer.from('s')));
    expect(decodePlainAppend(Buffer.from(new streams.AppendReq().setOptions(options).serializeBinary())).options).toMatchObject({
      stream: Buffer.from('s'),
      expected: { kind: 'exact', revision: 7n },
    });
  });

  it('is decoded with UUIDs in the form of two halves', () => {
    const halves = new shared.UUID.Structured().setMostSignificantBits('-1').setLeastSignificantBits('1');
    expect(uuidText(new Fields(Buffer.from(new shared.UUID().setStructured(halves).serializeBinary())))).toBe(
      'ffffffff-ffff-ffff-0000-000000000001',
    );
  });
});

describe('a record', () => {
  it('can be read by the generated code, and yields its stream and type', () => {
    fc.assert(
      fc.property(event, text, counter, counter, fc.bigInt(0n, 2n ** 63n), (one, stream, revision, position, created) => {
        const proposed = { ...one, type: Buffer.from(one.type), contentType: Buffer.from(one.contentType) };
        const record = encodeRecord(proposed, { stream: Buffer.from(stream), revision, position, created });
        const read = streams.ReadResp.deserializeBinary(new Uint8Array(record)).getEvent();
        const recorded = read?.getEvent();
        expect(read?.getCommitPosition()).toBe(position.toString());
        expect(recorded?.getId()?.getString()).toBe(one.id);
        expect(Buffer.from(recorded?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(stream);
        expect([recorded?.getStreamRevision(), recorded?.getPreparePosition(), recorded?.getCommitPosition()]).toEqual(
          [revision, position, position].map(String),
        );
        expect(recorded?.getMetadataMap().toObject()).toEqual(
          expect.arrayContaining([
            ['type', one.type],
            ['content-type', one.contentType],
            ['created', created.toString()],
          ]),
        );
        expect(Buffer.from(recorded?.getData_asU8() ?? [])).toEqual(one.data);
        expect(Buffer.from(recorded?.getCustomMetadata_asU8() ?? [])).toEqual(one.customMetadata);
        expect([streamOf(record), typeOf(record)]).toEqual([stream, one.type]);
        expect(recordFacts(record)).toEqual({ stream: Buffer.from(stream), revision, isTombstone: false, id: uuidBytes(one.id), position });
      }),
    );
  });
});

describe('a response', () => {
  const correlation = Buffer.from(new shared.UUID().setString('c').serializeBinary());

  it('carries the revision and the position of the appended events', () => {
    const response = streams.BatchAppendResp.deserializeBinary(new Uint8Array(encodeAppended(correlation, Buffer.from('s'), 300, 70_000)));
    expect(response.getCorrelationId()?.getString()).toBe('c');
    expect(Buffer.from(response.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe('s');
    expect(response.getSuccess()?.getCurrentRevision()).toBe('300');
    expect(response.getSuccess()?.getPosition()?.toObject()).toEqual({ commitPosition: '70000', preparePosition: '70000' });
    expect(
      streams.BatchAppendResp.deserializeBinary(new Uint8Array(encodeAppended(correlation, Buffer.from('s'), -1, 0)))
        .getSuccess()
        ?.hasNoStream(),
    ).toBe(true);
  });

  it('carries the status of a rejection', () => {
    const response = streams.BatchAppendResp.deserializeBinary(
      new Uint8Array(encodeRejected(correlation, Buffer.from('s'), Buffer.from([0x12, 1, 0x78]))),
    );
    expect(response.getError()?.getMessage()).toBe('x');
  });
});

describe('arbitrary bytes', () => {
  it('are decoded as a message or refused as malformed', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (array) => {
        try {
          decodeBatchAppend(Buffer.from(array));
          expect(decodePlainAppend(Buffer.from(array)).requestBytes).toBe(array.length);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessage);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
