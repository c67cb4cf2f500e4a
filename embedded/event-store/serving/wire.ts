import { randomUUID } from 'node:crypto';
import { Fields, MalformedMessage } from '../../../src/platform/event-sourcing/coding/protobuf.js';
import { type Expectation } from '../append-rules.js';
import { APPEND_EVENTS_MAX, CORRELATION_ID_BYTES_MAX } from '../limits.js';
import { BackwardWriter } from '../storing/backward-writer.js';
import { canonicalUuid, uuidBytes } from './uuid.js';

/** An event that a writer proposes. Its buffers are views of the request. */
export interface ProposedEvent {
  /** UUID in lower case with hyphens; empty if the request has none that is valid. */
  readonly id: string;
  /** NO_TYPE if the request has none. */
  readonly type: Buffer;
  /** EventStoreDB distinguishes only JSON and everything else; empty if the request has none. */
  readonly contentType: Buffer;
  readonly data: Buffer;
  readonly customMetadata: Buffer;
}

/** Milliseconds since 1970 by the writer's clock, or from the receipt of the request. */
export type Deadline = { readonly at: number } | { readonly after: number };

export interface AppendOptions {
  /** Undefined if the request names none. */
  readonly stream: Buffer | undefined;
  /** Undefined if the request has none. */
  readonly expected: Expectation | undefined;
  readonly deadline: Deadline | undefined;
}

/** A request of an append. The first one has the options. */
export interface AppendRequest {
  /** Bytes of a UUID message, repeated unchanged in the response; empty in the plain Append call. */
  readonly correlationId: Buffer;
  /** The same id in lower case with hyphens; undefined if it is missing or not a UUID. */
  readonly correlation: string | undefined;
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
  /** Set for the event that ends the stream for good. It is recorded with the revision that EventStoreDB shows for it. */
  readonly isTombstone?: boolean;
}

const NOTHING: Buffer = Buffer.alloc(0);
/** The type of an event whose request has none. An empty type is another buffer. */
export const NO_TYPE: Buffer = Buffer.alloc(0);
const TYPE = Buffer.from('type');
const CONTENT_TYPE = Buffer.from('content-type');
const CREATED = Buffer.from('created');
export const JSON_TYPE: Buffer = Buffer.from('application/json');
const TICKS_A_MILLISECOND = 10_000n;
const OTHER_TYPE = Buffer.from('application/octet-stream');
const METADATA_TYPE = Buffer.from('$metadata');
/** The type of the event that ends a stream for good, and the revision that EventStoreDB shows for it. */
const TOMBSTONE_TYPE = Buffer.from('$streamDeleted');
const TOMBSTONE_REVISION = 2n ** 63n - 1n;
/** Room for the tags, lengths, numbers and fixed texts of a message, in addition to the given buffers. */
const ENVELOPE_BYTES = 256;

/** Returns the event with metadata of a stream that the store records itself. */
export function metadataEvent(data: Buffer): ProposedEvent {
  return { id: randomUUID(), type: METADATA_TYPE, contentType: JSON_TYPE, data, customMetadata: NOTHING };
}

/** Returns the event that ends a stream for good. */
export function tombstoneEvent(): ProposedEvent {
  return { id: randomUUID(), type: TOMBSTONE_TYPE, contentType: OTHER_TYPE, data: NOTHING, customMetadata: NOTHING };
}

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
  let isFinal = false;
  const request = new Fields(message);
  while (request.next()) {
    if (request.number === numbers.options) options = decodeOptions(request.inner());
    else if (request.number === numbers.events) {
      if (events.length <= APPEND_EVENTS_MAX) events.push(decodeProposed(request.inner()));
    } else if (request.number === 1) correlationId = request.bytes();
    else if (request.number === 4) isFinal = request.value !== 0;
  }
  if (correlationId.length > CORRELATION_ID_BYTES_MAX) throw new MalformedMessage('A correlation id must be a UUID.');
  const correlation = canonicalUuid(new Fields(correlationId).uuid());
  return { correlationId, correlation, options, events, isFinal, requestBytes: message.length };
}

function decodeOptions(options: Fields): AppendOptions {
  let stream: Buffer | undefined;
  let expected: Expectation | undefined;
  let deadline: Deadline | undefined;
  while (options.next()) {
    if (options.number === 1) stream = options.inner().lastBytes(3);
    else if (options.number === 2) expected = { kind: 'exact', revision: options.exact() };
    else if (options.number === 3) expected = { kind: 'no_stream' };
    else if (options.number === 4) expected = { kind: 'any' };
    else if (options.number === 5) expected = { kind: 'stream_exists' };
    else if (options.number === 6) deadline = { at: decodeMilliseconds(options.inner()) };
    else if (options.number === 7) deadline = { after: decodeMilliseconds(options.inner()) };
  }
  return { stream, expected, deadline };
}

/** Decodes a Timestamp or a Duration, which have the same fields. */
function decodeMilliseconds(time: Fields): number {
  let milliseconds = 0;
  while (time.next()) {
    const value = time.value < 2 ** 63 ? time.value : Number(BigInt.asIntN(64, time.exact()));
    if (time.number === 1) milliseconds += value * 1_000;
    else if (time.number === 2) milliseconds += value / 1e6;
  }
  return milliseconds;
}

function decodeProposed(event: Fields): ProposedEvent {
  let id = '';
  let type = NO_TYPE;
  let contentType = NOTHING;
  let data = NOTHING;
  let customMetadata = NOTHING;
  while (event.next()) {
    if (event.number === 1) id = canonicalUuid(event.inner().uuid()) ?? '';
    else if (event.number === 2) {
      const [key, value] = decodeEntry(event.inner());
      if (key.equals(TYPE)) type = value;
      else if (key.equals(CONTENT_TYPE)) contentType = value.equals(JSON_TYPE) ? JSON_TYPE : OTHER_TYPE;
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
export function encodeRecord(event: ProposedEvent, { stream, revision, position, created, isTombstone }: RecordPosition): Buffer {
  const size = stream.length + event.type.length + event.contentType.length + event.data.length + event.customMetadata.length;
  const writer = new BackwardWriter(size + ENVELOPE_BYTES);
  const end = writer.mark;
  writer.varint(3, position);
  const recorded = writer.mark;
  writer.bytes(8, event.data);
  writer.bytes(7, event.customMetadata);
  writer.varint(5, position);
  writer.varint(4, position);
  writer.varint(3, isTombstone ? TOMBSTONE_REVISION : revision);
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

/** Returns the data of the event in a stored record. */
export function dataOf(record: Buffer): Buffer {
  return recordedIn(record).lastBytes(8);
}

/** Returns whether the event in a stored record is JSON. */
export function isJson(record: Buffer): boolean {
  return entryOf(record, CONTENT_TYPE) === JSON_TYPE.toString();
}

/** Returns when the event in a stored record was recorded, in ms since 1970. */
export function createdMsOf(record: Buffer): number {
  return Number(BigInt(entryOf(record, CREATED)) / TICKS_A_MILLISECOND);
}

function entryOf(record: Buffer, key: Buffer): string {
  const recorded = recordedIn(record);
  while (recorded.next()) {
    if (recorded.number !== 6) continue;
    const [name, value] = decodeEntry(recorded.inner());
    if (name.equals(key)) return value.toString();
  }
  return '';
}

/** Returns the fields of a stored record that the log needs when it opens. */
export function recordFacts(record: Buffer): { stream: Buffer; revision: number; isTombstone: boolean; id: Buffer; position: number } {
  const event = within(new Fields(record), 1);
  const recorded = within(event, 1);
  const stream = within(recorded, 2).lastBytes(3);
  const id = uuidBytes(uuidText(within(recorded, 1)));
  const revision = skipTo(recorded, 3).value;
  return { stream, revision, isTombstone: revision > Number.MAX_SAFE_INTEGER, id, position: skipTo(event, 3).value };
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

/** Encodes the BatchAppendResp for events that are on disk. */
export function encodeAppended(correlationId: Buffer, stream: Buffer, revision: number, position: number | undefined): Buffer {
  const writer = new BackwardWriter(correlationId.length + stream.length + ENVELOPE_BYTES);
  writeStream(writer, 4, stream);
  const success = writer.mark;
  const wirePosition = writer.mark;
  if (position === undefined) writer.bytes(4, NOTHING);
  else {
    writer.varint(2, position);
    writer.varint(1, position);
    writer.enclose(3, wirePosition);
  }
  if (revision < 0) writer.bytes(2, NOTHING);
  else writer.varint(1, revision);
  writer.enclose(3, success);
  writer.bytes(1, correlationId);
  return writer.finish();
}

/** Encodes the BatchAppendResp for a rejection. @param status bytes of a google.rpc.Status. @param stream as in the request */
export function encodeRejected(correlationId: Buffer, stream: Buffer | undefined, status: Uint8Array): Buffer {
  const writer = new BackwardWriter(correlationId.length + (stream?.length ?? 0) + status.length + ENVELOPE_BYTES);
  if (stream) writeStream(writer, 4, stream);
  writer.bytes(2, status);
  if (correlationId.length > 0) writer.bytes(1, correlationId);
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
