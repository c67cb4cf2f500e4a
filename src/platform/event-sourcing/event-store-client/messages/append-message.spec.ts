import grpcCode from '@eventstore/db-client/generated/code_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import status from '@eventstore/db-client/generated/status_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import any from 'google-protobuf/google/protobuf/any_pb.js';
import timestamp from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { type NewEvent } from '../../recorded-event.js';
import { decodeAppendResponse, encodeAppend } from './append-message.js';

const ID = '9d1f4b0e-5f0a-4b8e-8d57-5a4f4b7f6c11';
const metadata = { $correlationId: 'ć', $causationId: 'c', schema_version: 1 };
const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));

/** The tag of a length-delimited field. */
const tag = (field: number): number => (field << 3) | 2;

/** Encodes an append like the `batchAppend` of the client library, with the deadline as a duration, which its generated code lacks. */
function encodedByClient(
  correlationId: string,
  stream: string,
  expectedRevision: bigint | undefined,
  deadlineMs: number,
  events: readonly NewEvent[],
): Buffer {
  const options = new streams.BatchAppendReq.Options().setStreamIdentifier(
    new shared.StreamIdentifier().setStreamName(Buffer.from(stream)),
  );
  options.setDeadline(timestamp.Timestamp.fromDate(new Date(deadlineMs)));
  if (expectedRevision === undefined) options.setNoStream(new shared.Empty());
  else options.setStreamPosition(expectedRevision.toString());
  const request = new streams.BatchAppendReq().setOptions(options).setCorrelationId(new shared.UUID().setString(correlationId));
  for (const event of events) {
    const message = new streams.BatchAppendReq.ProposedMessage().setId(new shared.UUID().setString(event.id));
    message.getMetadataMap().set('type', event.type).set('content-type', 'application/json');
    request.addProposedMessages(message.setData(bytes(event.data)).setCustomMetadata(bytes(event.metadata)));
  }
  // A timestamp and a duration have the same fields, so only the tag of the deadline differs. It is the last field of the options.
  const encoded = Buffer.from(request.setIsFinal(true).serializeBinary());
  const encodedOptions = Buffer.from(options.serializeBinary());
  const deadlineBytes = options.getDeadline()?.serializeBinary().length ?? 0;
  const at = encoded.indexOf(encodedOptions) + encodedOptions.length - deadlineBytes - 2;
  expect(encoded[at]).toBe(tag(6));
  encoded[at] = tag(7);
  return encoded;
}

function decoded(response: streams.BatchAppendResp, id = new shared.UUID().setString(ID)): ReturnType<typeof decodeAppendResponse> {
  return decodeAppendResponse(Buffer.from(response.setCorrelationId(id).serializeBinary()));
}

describe('an append message', () => {
  it('is byte for byte what the client library would send', () => {
    const event = fc.record({
      id: fc.uuid(),
      type: fc.string({ minLength: 1, unit: 'grapheme' }),
      data: fc.dictionary(fc.string({ unit: 'grapheme', minLength: 1 }), fc.jsonValue(), { minKeys: 1 }),
    });
    const revision = fc.option(fc.bigInt(0n, 2n ** 50n), { nil: undefined });
    const deadline = fc.integer({ min: 1_000, max: 100_000 });
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.string({ unit: 'grapheme', minLength: 1 }),
        revision,
        deadline,
        fc.array(event, { maxLength: 5 }),
        (id, stream, expected, at, drawn) => {
          const events: NewEvent[] = drawn.map((each) => ({ ...each, metadata }));
          expect(encodeAppend(id, stream, expected, at, events).toString('latin1')).toBe(
            encodedByClient(id, stream, expected, at, events).toString('latin1'),
          );
        },
      ),
    );
  });

  it('has exactly the bytes of an event that has bytes', () => {
    const content = fc.uint8Array().map((drawn) => Buffer.from(drawn));
    fc.assert(
      fc.property(content, content, fc.boolean(), (data, custom, isBinary) => {
        const event = { id: ID, type: 'T', data, metadata: custom, ...(isBinary && { isBinary }) };
        const request = streams.BatchAppendReq.deserializeBinary(encodeAppend(ID, 's', undefined, 1_000, [event, event]));
        for (const message of request.getProposedMessagesList()) {
          expect([message.getData_asU8(), message.getCustomMetadata_asU8()].map((found) => Buffer.from(found))).toStrictEqual([
            data,
            custom,
          ]);
          expect(message.getMetadataMap().get('content-type')).toBe(isBinary ? 'application/octet-stream' : 'application/json');
        }
      }),
    );
  });

  it('gets the revision and position from the response, or no position if there is none', () => {
    const position = new shared.AllStreamPosition().setCommitPosition('9007199254740991').setPreparePosition('9007199254740991');
    const response = new streams.BatchAppendResp().setSuccess(
      new streams.BatchAppendResp.Success().setCurrentRevision('300').setPosition(position),
    );
    expect(decoded(response)).toStrictEqual({ correlationId: ID, revision: 300n, position: 9_007_199_254_740_991n });
    expect(decoded(new streams.BatchAppendResp().setSuccess(new streams.BatchAppendResp.Success().setCurrentRevision('0')))).toStrictEqual({
      correlationId: ID,
      revision: 0n,
      position: undefined,
    });
  });

  it('gets the correlation id from the response in both forms of the protocol', () => {
    fc.assert(
      fc.property(fc.uuid(), (id) => {
        const [most, least] = [id.replaceAll('-', '').slice(0, 16), id.replaceAll('-', '').slice(16)].map((half) =>
          BigInt.asIntN(64, BigInt(`0x${half}`)).toString(),
        );
        const halves = new shared.UUID().setStructured(
          new shared.UUID.Structured().setMostSignificantBits(most ?? '').setLeastSignificantBits(least ?? ''),
        );
        expect(decoded(new streams.BatchAppendResp(), halves).correlationId).toBe(id);
      }),
    );
  });

  it('gets the name of the error from the response, or Unknown if there is none', () => {
    const details = new any.Any();
    details.pack(new shared.WrongExpectedVersion().serializeBinary(), 'event_store.client.WrongExpectedVersion');
    expect(decoded(new streams.BatchAppendResp().setError(new status.Status().setMessage('no').setDetails(details)))).toStrictEqual({
      correlationId: ID,
      error: 'WrongExpectedVersion',
      message: 'no',
      code: 0,
    });
    expect(decoded(new streams.BatchAppendResp().setError(new status.Status().setMessage('no')))).toStrictEqual({
      correlationId: ID,
      error: 'Unknown',
      message: 'no',
      code: 0,
    });
    expect(
      decoded(new streams.BatchAppendResp().setError(new status.Status().setMessage('full').setCode(grpcCode.Code.RESOURCE_EXHAUSTED))),
    ).toStrictEqual({
      correlationId: ID,
      error: 'Unknown',
      message: 'full',
      code: 8,
    });
    expect(decoded(new streams.BatchAppendResp())).toMatchObject({ error: 'Unknown' });
  });
});
