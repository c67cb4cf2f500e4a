import { isUtf8 } from 'node:buffer';
import { Fields, MalformedMessage } from '../../src/platform/event-sourcing/protobuf-fields.js';
import { type Expectation } from './append-rules.js';
import { APPEND_EVENTS_MAX, CORRELATION_ID_BYTES_MAX, MESSAGE_EVENTS_MAX } from './limits.js';
import { BackwardWriter } from './backward-writer.js';

/** An event that a writer proposes. Its buffers are views of the request. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: Buffer;
  readonly contentType: Buffer;
  readonly data: Buffer;
  readonly customMetadata: Buffer;
}

export interface AppendOptions {
  /** Stream name in UTF-8. */
  readonly stream: Buffer;
  readonly expected: Expectation;
  /** Milliseconds since 1970. */
  readonly deadline: number | undefined;
}

/** A request of an append. The first one has the options. */
export interface AppendRequest {
  /** Bytes of a UUID message, repeated unchanged in the response; empty in the plain Append call. */
  readonly correlationId: Buffer;
  readonly options: AppendOptions | undefined;
  /** Events of the request. Decoding stops at one event more than an append may have. */
  readonly events: readonly ProposedEvent[];
  readonly isFinal: boolean;
  /** Size of the whole request. Its events are views of it and keep all of it in memory. */
  readonly requestBytes: number;
}

/** Stream, revision and position of a recorded event. */
export interface RecordPosition {
  readonly stream: Buffer;
  readonly revision: number;
  readonly position: number;
  /** 100-nanosecond ticks since 1970. */
  readonly created: bigint;
}

const NOTHING: Buffer = Buffer.alloc(0);
const TYPE = Buffer.from('type');
const CONTENT_TYPE = Buffer.from('content-type');
const CREATED = Buffer.from('created');
const DEFAULT_CONTENT_TYPE = Buffer.from('application/octet-stream');
/** Room for the tags, lengths, numbers and fixed texts of a message, in addition to the given buffers. */
const ENVELOPE_BYTES = 256;

/** Decodes a BatchAppendReq. @throws MalformedMessage */
export function decodeBatchAppend(message: Buffer): AppendRequest {
  return decodeAppend(message, { options: 2, events: 3 });
}

/** Decodes an AppendReq, which has the same nested messages under other field numbers. @throws MalformedMessage */
export function decodePlainAppend(message: Buffer): AppendRequest {
  return decodeAppend(message, { options: 1, events: 2 });
}

function decodeAppend(message: Buffer, numbers: { options: number; events: number }): AppendRequest {
  let correlationId = NOTHING;
  let options: AppendOptions | undefined;
  const events: ProposedEvent[] = [];
  let count = 0;
  let isFinal = false;
  const request = new Fields(message);
  while (request.next()) {
    if (request.number === numbers.options) options = decodeOptions(request.inner());
    else if (request.number === numbers.events) {
      count += 1;
      if (count > MESSAGE_EVENTS_MAX) throw new MalformedMessage(`A message must have at most ${MESSAGE_EVENTS_MAX} events.`);
      if (events.length <= APPEND_EVENTS_MAX) events.push(decodeProposed(request.inner()));
    } else if (request.number === 1) correlationId = request.bytes();
    else if (request.number === 4) isFinal = request.value !== 0;
  }
  if (correlationId.length > CORRELATION_ID_BYTES_MAX) throw new MalformedMessage('A correlation id must be a UUID.');
  return { correlationId, options, events, isFinal, requestBytes: message.length };
}

function decodeOptions(options: Fields): AppendOptions {
  let stream = NOTHING;
  let expected: Expectation = { kind: 'any' };
  let deadline: number | undefined;
  while (options.next()) {
    if (options.number === 1) stream = options.inner().lastBytes(3);
    else if (options.number === 2) expected = { kind: 'exact', revision: options.exact() };
    else if (options.number === 3) expected = { kind: 'no_stream' };
    else if (options.number === 4) expected = { kind: 'any' };
    else if (options.number === 5) expected = { kind: 'stream_exists' };
    // Field 7, a duration from the receipt, cannot have passed yet.
    else if (options.number === 6) deadline = decodeTimestamp(options.inner());
  }
  if (!isUtf8(stream)) throw new MalformedMessage('A stream name must be UTF-8.');
  return { stream, expected, deadline };
}

function decodeTimestamp(timestamp: Fields): number {
  let milliseconds = 0;
  while (timestamp.next()) {
    if (timestamp.number === 1) milliseconds += Number(BigInt.asIntN(64, timestamp.exact())) * 1_000;
    else if (timestamp.number === 2) milliseconds += timestamp.value / 1e6;
  }
  return milliseconds;
}

function decodeProposed(event: Fields): ProposedEvent {
  let id = '';
  let type = NOTHING;
  let contentType: Buffer = DEFAULT_CONTENT_TYPE;
  let data = NOTHING;
  let customMetadata = NOTHING;
  while (event.next()) {
    if (event.number === 1) id = uuidText(event.inner());
    else if (event.number === 2) {
      const [key, value] = decodeEntry(event.inner());
      if (key.equals(TYPE)) type = value;
      else if (key.equals(CONTENT_TYPE)) contentType = value;
    } else if (event.number === 3) customMetadata = event.bytes();
    else if (event.number === 4) data = event.bytes();
  }
  return { id, type, contentType, data, customMetadata };
}

function decodeEntry(entry: Fields): [key: Buffer, value: Buffer] {
  let [key, value] = [NOTHING, NOTHING];
  while (entry.next()) {
    if (entry.number === 1) key = entry.bytes();
    else if (entry.number === 2) value = entry.bytes();
  }
  return [key, value];
}

/** Returns the text of a UUID message in either of its forms. */
export function uuidText(uuid: Fields): string {
  return uuid.uuid().toLowerCase();
}

/**
 * Encodes the complete ReadResp of an event. It is encoded once, when the event is appended, and stored; a read only forwards it.
 * Stream and type come first, where filters find them fastest.
 */
export function encodeRecord(event: ProposedEvent, { stream, revision, position, created }: RecordPosition): Buffer {
  const size = stream.length + event.type.length + event.contentType.length + event.data.length + event.customMetadata.length;
  const writer = new BackwardWriter(size + ENVELOPE_BYTES);
  const end = writer.mark;
  writer.varint(3, position);
  const recorded = writer.mark;
  writer.bytes(8, event.data);
  writer.bytes(7, event.customMetadata);
  writer.varint(5, position);
  writer.varint(4, position);
  writer.varint(3, revision);
  writeEntry(writer, CREATED, Buffer.from(created.toString()));
  writeEntry(writer, CONTENT_TYPE, event.contentType);
  const id = writer.mark;
  writer.bytes(2, Buffer.from(event.id, 'latin1'));
  writer.enclose(1, id);
  writeEntry(writer, TYPE, event.type);
  writeStream(writer, 2, stream);
  writer.enclose(1, recorded);
  writer.enclose(1, end);
  return writer.finish();
}

/** Returns the stream name of a record that {@link encodeRecord} encoded. */
export function streamOf(record: Buffer): string {
  return within(recordedIn(record), 2).lastText(3);
}

/** Returns the event type of a stored record, from the first entry of its metadata. */
export function typeOf(record: Buffer): string {
  return within(recordedIn(record), 6).lastText(2);
}

/** Returns the fields of a stored record that the log needs when it opens. */
export function recordFacts(record: Buffer): { stream: Buffer; revision: number; id: Buffer; position: number } {
  const event = within(new Fields(record), 1);
  const recorded = within(event, 1);
  const stream = within(recorded, 2).lastBytes(3);
  const id = idBytes(uuidText(within(recorded, 1)));
  return { stream, revision: skipTo(recorded, 3).value, id, position: skipTo(event, 3).value };
}

function recordedIn(record: Buffer): Fields {
  return within(within(new Fields(record), 1), 1);
}

/** Returns the content of the next field with this number. */
function within(fields: Fields, number: number): Fields {
  return skipTo(fields, number).inner();
}

function skipTo(fields: Fields, number: number): Fields {
  while (fields.next()) if (fields.number === number) return fields;
  throw new MalformedMessage('The record is incomplete.');
}

/** Returns the bytes of an event id, as it is stored. */
export function idBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** Encodes the BatchAppendResp for events that are on disk. */
export function encodeAppended(correlationId: Buffer, stream: Buffer, revision: number, position: number): Buffer {
  const writer = new BackwardWriter(correlationId.length + stream.length + ENVELOPE_BYTES);
  writeStream(writer, 4, stream);
  const success = writer.mark;
  const wirePosition = writer.mark;
  writer.varint(2, position);
  writer.varint(1, position);
  writer.enclose(3, wirePosition);
  if (revision < 0) writer.bytes(2, NOTHING);
  else writer.varint(1, revision);
  writer.enclose(3, success);
  writer.bytes(1, correlationId);
  return writer.finish();
}

/** Encodes the BatchAppendResp for a rejection. @param status bytes of a google.rpc.Status. */
export function encodeRejected(correlationId: Buffer, stream: Buffer, status: Uint8Array): Buffer {
  const writer = new BackwardWriter(correlationId.length + stream.length + status.length + ENVELOPE_BYTES);
  writeStream(writer, 4, stream);
  writer.bytes(2, status);
  writer.bytes(1, correlationId);
  return writer.finish();
}

function writeStream(writer: BackwardWriter, number: number, stream: Buffer): void {
  const end = writer.mark;
  writer.bytes(3, stream);
  writer.enclose(number, end);
}

function writeEntry(writer: BackwardWriter, key: Buffer, value: Buffer): void {
  const end = writer.mark;
  writer.bytes(2, value);
  writer.bytes(1, key);
  writer.enclose(6, end);
}
