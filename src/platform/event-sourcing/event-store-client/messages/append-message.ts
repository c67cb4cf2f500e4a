import { type ExactEvent, type NewEvent } from '../../recorded-event.js';
import { Fields, sizeOfField, UUID_FIELD_BYTES, Writer } from '../../coding/protobuf.js';

/** The store's response to an append. `error` is the last part of the error's type, such as WrongExpectedVersion. */
export type AppendResponse = { readonly correlationId: string } & (
  { readonly revision: bigint; readonly position: bigint | undefined } | AppendError
);

interface AppendError {
  readonly error: string;
  readonly message: string;
  /** gRPC status code; 0 if the store sent none. */
  readonly code: number;
  /** With a wrong revision: the one of the stream's newest event, -1 if it has none; undefined if the store does not say. */
  readonly current?: bigint;
}

const NUMBER_BYTES_MAX = 10;
export const WRONG_REVISION = 'WrongExpectedVersion';

/**
 * Encodes a complete BatchAppendReq, byte for byte like the client library, except for the deadline: a duration, which the store counts
 * from the receipt, instead of a time, before which the append is refused if the clocks of both hosts differ.
 * @param expectedRevision undefined for a stream that must not exist
 * @param deadlineMs milliseconds after which the store may drop the append
 */
export function encodeAppend(
  correlationId: string,
  stream: string,
  expectedRevision: bigint | undefined,
  deadlineMs: number,
  events: readonly (NewEvent | ExactEvent)[],
): Buffer {
  const texts = events.map((event) => ({ entries: entriesOf(event), data: contentOf(event.data), metadata: contentOf(event.metadata) }));
  const sizes = texts.map(({ entries, data, metadata }) => {
    const [dataBytes, metadataBytes] = [Buffer.byteLength(data), Buffer.byteLength(metadata)];
    return { dataBytes, metadataBytes, all: UUID_FIELD_BYTES + entries.length + sizeOfField(metadataBytes) + sizeOfField(dataBytes) };
  });
  const options = encodeOptions(Buffer.from(stream), expectedRevision, deadlineMs);
  const writer = new Writer(sizes.reduce((sum, { all }) => sum + sizeOfField(all), sizeOfField(options.length) + UUID_FIELD_BYTES + 2));
  writer.uuid(1, correlationId);
  writer.header(2, options.length);
  writer.raw(options);
  texts.forEach(({ entries, data, metadata }, index) => {
    const { all = 0, metadataBytes = 0, dataBytes = 0 } = sizes[index] ?? {};
    writer.header(3, all);
    writer.uuid(1, events[index]?.id ?? '');
    writer.raw(entries);
    writeContent(writer, 3, metadata, metadataBytes);
    writeContent(writer, 4, data, dataBytes);
  });
  writer.number(4, 1);
  return writer.finish();
}

function contentOf(value: Buffer | object): Buffer | string {
  return Buffer.isBuffer(value) ? value : JSON.stringify(value);
}

function writeContent(writer: Writer, field: number, content: Buffer | string, bytes: number): void {
  if (typeof content === 'string') writer.text(field, content, bytes);
  else writer.bytes(field, content);
}

function encodeOptions(stream: Buffer, expectedRevision: bigint | undefined, deadlineMs: number): Buffer {
  const writer = new Writer(stream.length + 6 * NUMBER_BYTES_MAX);
  writer.header(1, sizeOfField(stream.length));
  writer.header(3, stream.length);
  writer.raw(stream);
  if (expectedRevision === undefined) writer.header(3, 0);
  else writer.number(2, Number(expectedRevision));
  const seconds = Math.floor(deadlineMs / 1_000);
  const duration = new Writer(2 * NUMBER_BYTES_MAX + 2);
  duration.number(1, seconds);
  if (deadlineMs > seconds * 1_000) duration.number(2, (deadlineMs - seconds * 1_000) * 1_000_000);
  const bytes = duration.finish();
  writer.header(7, bytes.length);
  writer.raw(bytes);
  return writer.finish();
}

/** Encoded metadata entries (content type and event type) by event type. They are cached because there are few types and many events. */
const entriesByType = new Map<string, Buffer>();

function entriesOf(event: NewEvent | ExactEvent): Buffer {
  const { type } = event;
  if ('isBinary' in event) return encodeEntries('application/octet-stream', type);
  const cached = entriesByType.get(type);
  if (cached) return cached;
  const entries = encodeEntries('application/json', type);
  entriesByType.set(type, entries);
  return entries;
}

function encodeEntries(contentType: string, type: string): Buffer {
  return Buffer.concat([encodeEntry('content-type', contentType), encodeEntry('type', type)]);
}

function encodeEntry(key: string, value: string): Buffer {
  const inner = new Writer(key.length + Buffer.byteLength(value) + 2 * NUMBER_BYTES_MAX);
  inner.text(1, key, Buffer.byteLength(key));
  inner.text(2, value, Buffer.byteLength(value));
  const bytes = inner.finish();
  const writer = new Writer(bytes.length + NUMBER_BYTES_MAX);
  writer.header(2, bytes.length);
  writer.raw(bytes);
  return writer.finish();
}

/** Decodes a BatchAppendResp. @throws MalformedMessage */
export function decodeAppendResponse(message: Buffer): AppendResponse {
  let correlationId = '';
  let success: { revision: bigint; position: bigint | undefined } | undefined;
  let failure: AppendError | undefined;
  const response = new Fields(message);
  while (response.next()) {
    if (response.number === 1) correlationId = response.inner().uuid();
    else if (response.number === 2) failure = decodeFailure(response.inner());
    else if (response.number === 3) success = decodeSuccess(response.inner());
  }
  return {
    correlationId,
    ...(failure ??
      success ?? { error: 'Unknown', message: 'The event store responded to an append with neither success nor an error.', code: 0 }),
  };
}

function decodeSuccess(success: Fields): { revision: bigint; position: bigint | undefined } {
  let revision = 0;
  let position: bigint | undefined;
  while (success.next()) {
    if (success.number === 1) revision = success.value;
    else if (success.number === 3) {
      const allPosition = success.inner();
      while (allPosition.next()) if (allPosition.number === 1) position = BigInt(allPosition.value);
    }
  }
  return { revision: BigInt(revision), position };
}

/** Decodes a google.rpc.Status. */
function decodeFailure(status: Fields): AppendError {
  let code = 0;
  let message = '';
  let error = 'Unknown';
  let current: bigint | undefined;
  while (status.next()) {
    if (status.number === 1) code = status.value;
    else if (status.number === 2) message = status.text();
    else if (status.number === 3) {
      error = status
        .inner()
        .lastText(1)
        .replace(/^.*[./]/, '');
      if (error === WRONG_REVISION) current = currentRevision(status.inner());
    }
  }
  return { error, message, code, ...(current === undefined ? {} : { current }) };
}

/** Decodes the Any of a WrongExpectedVersion. */
function currentRevision(details: Fields): bigint | undefined {
  let current: bigint | undefined;
  while (details.next()) {
    if (details.number !== 2) continue;
    const wrong = details.inner();
    while (wrong.next()) {
      if (wrong.number === 1) current = wrong.exact();
      else if (wrong.number === 2) current = -1n;
    }
  }
  return current;
}
