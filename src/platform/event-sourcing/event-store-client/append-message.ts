import { type NewEvent } from '../recorded-event.js';
import { Fields } from '../protobuf-fields.js';
import { sizeOfField, UUID_FIELD_BYTES, Writer } from './protobuf.js';

/** What the store says to an append. `refusal` is the last part of the error's type, such as WrongExpectedVersion. */
export type AppendResponse = { readonly correlationId: string } & (
  { readonly revision: bigint; readonly position: bigint | undefined } | { readonly refusal: string; readonly message: string }
);

const NUMBER_BYTES_MAX = 10;

/** A BatchAppendReq that is whole, byte for byte as the client writes it. @param expectedRevision undefined: the stream must not exist @param deadline in ms since 1970 */
export function encodeAppend(
  correlationId: string,
  stream: string,
  expectedRevision: bigint | undefined,
  deadline: number,
  events: readonly NewEvent[],
): Buffer {
  const texts = events.map(({ type, data, metadata }) => ({
    types: typesOf(type),
    data: JSON.stringify(data),
    metadata: JSON.stringify(metadata),
  }));
  const sizes = texts.map(({ types, data, metadata }) => {
    const [dataBytes, metadataBytes] = [Buffer.byteLength(data), Buffer.byteLength(metadata)];
    return { dataBytes, metadataBytes, all: UUID_FIELD_BYTES + types.length + sizeOfField(metadataBytes) + sizeOfField(dataBytes) };
  });
  const options = encodeOptions(Buffer.from(stream), expectedRevision, deadline);
  const writer = new Writer(sizes.reduce((sum, { all }) => sum + sizeOfField(all), sizeOfField(options.length) + UUID_FIELD_BYTES + 2));
  writer.uuid(1, correlationId);
  writer.header(2, options.length);
  writer.raw(options);
  texts.forEach(({ types, data, metadata }, index) => {
    const { all = 0, metadataBytes = 0, dataBytes = 0 } = sizes[index] ?? {};
    writer.header(3, all);
    writer.uuid(1, events[index]?.id ?? '');
    writer.raw(types);
    writer.text(3, metadata, metadataBytes);
    writer.text(4, data, dataBytes);
  });
  writer.number(4, 1);
  return writer.finish();
}

function encodeOptions(stream: Buffer, expectedRevision: bigint | undefined, deadline: number): Buffer {
  const writer = new Writer(stream.length + 6 * NUMBER_BYTES_MAX);
  writer.header(1, sizeOfField(stream.length));
  writer.header(3, stream.length);
  writer.raw(stream);
  if (expectedRevision === undefined) writer.header(3, 0);
  else writer.number(2, Number(expectedRevision));
  const seconds = Math.floor(deadline / 1_000);
  const timestamp = new Writer(2 * NUMBER_BYTES_MAX + 2);
  timestamp.number(1, seconds);
  if (deadline > seconds * 1_000) timestamp.number(2, (deadline - seconds * 1_000) * 1_000_000);
  const bytes = timestamp.finish();
  writer.header(6, bytes.length);
  writer.raw(bytes);
  return writer.finish();
}

/** Of an event type: the two entries that say it, and that it is JSON. There are few, and they are many events'. */
const knownTypes = new Map<string, Buffer>();

function typesOf(type: string): Buffer {
  const known = knownTypes.get(type);
  if (known) return known;
  const made = Buffer.concat([entry('content-type', 'application/json'), entry('type', type)]);
  knownTypes.set(type, made);
  return made;
}

function entry(key: string, value: string): Buffer {
  const inner = new Writer(key.length + Buffer.byteLength(value) + 2 * NUMBER_BYTES_MAX);
  inner.text(1, key, Buffer.byteLength(key));
  inner.text(2, value, Buffer.byteLength(value));
  const bytes = inner.finish();
  const writer = new Writer(bytes.length + NUMBER_BYTES_MAX);
  writer.header(2, bytes.length);
  writer.raw(bytes);
  return writer.finish();
}

/** A BatchAppendResp. */
export function decodeAppendResponse(message: Buffer): AppendResponse {
  let correlationId = '';
  let placed: { revision: bigint; position: bigint | undefined } | undefined;
  let refused: { refusal: string; message: string } | undefined;
  const answer = new Fields(message);
  while (answer.next()) {
    if (answer.number === 1) correlationId = answer.inner().uuid();
    else if (answer.number === 2) refused = refusalOf(answer.inner());
    else if (answer.number === 3) placed = placeOf(answer.inner());
  }
  return {
    correlationId,
    ...(refused ?? placed ?? { refusal: 'Unknown', message: 'The event store answers neither success nor an error.' }),
  };
}

function placeOf(success: Fields): { revision: bigint; position: bigint | undefined } {
  let revision = 0;
  let position: bigint | undefined;
  while (success.next()) {
    if (success.number === 1) revision = success.value;
    else if (success.number === 3) {
      const place = success.inner();
      while (place.next()) if (place.number === 1) position = BigInt(place.value);
    }
  }
  return { revision: BigInt(revision), position };
}

/** Of a google.rpc.Status. */
function refusalOf(status: Fields): { refusal: string; message: string } {
  let message = '';
  let refusal = 'Unknown';
  while (status.next()) {
    if (status.number === 2) message = status.text();
    else if (status.number === 3)
      refusal = status
        .inner()
        .lastText(1)
        .replace(/^.*[./]/, '');
  }
  return { refusal, message };
}
