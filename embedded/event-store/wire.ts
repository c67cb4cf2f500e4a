import { isUtf8 } from 'node:buffer';
import { type Expectation } from './append-rules.js';
import { APPEND_EVENTS_MAX, CORRELATION_ID_BYTES_MAX, MESSAGE_EVENTS_MAX } from './limits.js';
import { BackwardWriter, fields, MalformedMessage } from './protobuf.js';

/** An event as a writer proposes it; the bytes are views of the request. */
export interface ProposedEvent {
  readonly id: string;
  readonly type: Buffer;
  readonly contentType: Buffer;
  readonly data: Buffer;
  readonly customMetadata: Buffer;
}

export interface AppendOptions {
  /** The name's bytes, which are UTF-8. */
  readonly stream: Buffer;
  readonly expected: Expectation;
  /** In ms since 1970. */
  readonly deadline: number | undefined;
}

/** A part of an append; the options come with the first one. */
export interface AppendRequest {
  /** A UUID message's bytes, which the answer repeats as they are; empty in the plain Append call. */
  readonly correlationId: Buffer;
  readonly options: AppendOptions | undefined;
  /** Of more than an append may have, one more. */
  readonly events: readonly ProposedEvent[];
  readonly isFinal: boolean;
  /** Of the whole request: its events are views of it, and keep all of it in memory. */
  readonly requestBytes: number;
}

/** Where an event has come to lie. */
export interface Place {
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
/** Room for the tags, lengths, numbers and fixed texts around an event's bytes. */
const ENVELOPE_BYTES = 256;

/** A BatchAppendReq. @throws MalformedMessage */
export function decodeBatchAppend(message: Buffer): AppendRequest {
  return decodeAppend(message, { options: 2, events: 3 });
}

/** An AppendReq: the same inner messages, under other numbers. @throws MalformedMessage */
export function decodePlainAppend(message: Buffer): AppendRequest {
  return decodeAppend(message, { options: 1, events: 2 });
}

function decodeAppend(message: Buffer, numbers: { options: number; events: number }): AppendRequest {
  let correlationId = NOTHING;
  let options: AppendOptions | undefined;
  const events: ProposedEvent[] = [];
  let count = 0;
  let isFinal = false;
  for (const { number, bytes, varint } of fields(message)) {
    if (number === numbers.options) options = decodeOptions(bytes);
    else if (number === numbers.events) {
      count += 1;
      if (count > MESSAGE_EVENTS_MAX) throw new MalformedMessage('A message has too many events.');
      if (events.length <= APPEND_EVENTS_MAX) events.push(decodeProposed(bytes));
    } else if (number === 1) correlationId = bytes;
    else if (number === 4) isFinal = varint !== 0n;
  }
  if (correlationId.length > CORRELATION_ID_BYTES_MAX) throw new MalformedMessage('A correlation id is a UUID.');
  return { correlationId, options, events, isFinal, requestBytes: message.length };
}

function decodeOptions(message: Buffer): AppendOptions {
  let stream = NOTHING;
  let expected: Expectation = { kind: 'any' };
  let deadline: number | undefined;
  for (const { number, bytes, varint } of fields(message)) {
    if (number === 1) stream = lastField(bytes, 3);
    else if (number === 2) expected = { kind: 'exact', revision: varint };
    else if (number === 3) expected = { kind: 'no_stream' };
    else if (number === 4) expected = { kind: 'any' };
    else if (number === 5) expected = { kind: 'stream_exists' };
    else if (number === 6) deadline = decodeTimestamp(bytes);
  }
  if (!isUtf8(stream)) throw new MalformedMessage('A stream name is UTF-8.');
  return { stream, expected, deadline };
}

function decodeTimestamp(message: Buffer): number {
  let milliseconds = 0;
  for (const { number, varint } of fields(message)) {
    milliseconds += number === 1 ? Number(BigInt.asIntN(64, varint)) * 1000 : number === 2 ? Number(varint) / 1e6 : 0;
  }
  return milliseconds;
}

function decodeProposed(message: Buffer): ProposedEvent {
  let id = '';
  let type = NOTHING;
  let contentType: Buffer = DEFAULT_CONTENT_TYPE;
  let data = NOTHING;
  let customMetadata = NOTHING;
  for (const { number, bytes } of fields(message)) {
    if (number === 1) id = uuidText(bytes);
    else if (number === 2) {
      const [key, value] = decodeEntry(bytes);
      if (key.equals(TYPE)) type = value;
      else if (key.equals(CONTENT_TYPE)) contentType = value;
    } else if (number === 3) customMetadata = bytes;
    else if (number === 4) data = bytes;
  }
  return { id, type, contentType, data, customMetadata };
}

function decodeEntry(message: Buffer): [key: Buffer, value: Buffer] {
  return [lastField(message, 1), lastField(message, 2)];
}

/** Protobuf's rule: of a field that comes twice, the last one counts. */
function lastField(message: Buffer, wanted: number): Buffer {
  let found = NOTHING;
  for (const { number, bytes } of fields(message)) if (number === wanted) found = bytes;
  return found;
}

/** A UUID message in either of its two forms: text, or two signed halves. */
export function uuidText(message: Buffer): string {
  for (const { number, bytes } of fields(message)) {
    if (number === 2) return bytes.toString('latin1').toLowerCase();
    if (number === 1) return uuidOfHalves(bytes);
  }
  return '';
}

function uuidOfHalves(message: Buffer): string {
  const id = Buffer.alloc(16);
  for (const { number, varint } of fields(message)) if (number === 1 || number === 2) id.writeBigUInt64BE(varint, (number - 1) * 8);
  return id.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * The ReadResp that brings an event to its readers, whole. It is made once, when the event is appended, and stored: a read only
 * forwards it. Stream and type come first, for filters.
 */
export function encodeRecord(event: ProposedEvent, { stream, revision, position, created }: Place): Buffer {
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

/** Stream and type of a stored record. */
export function recordTexts(record: Buffer): { stream: string; type: string } {
  const recorded = firstField(firstField(record, 1), 1);
  let stream = '';
  for (const { number, bytes } of fields(recorded)) {
    if (number === 2) stream = lastField(bytes, 3).toString();
    if (number === 6) return { stream, type: decodeEntry(bytes)[1].toString() };
  }
  throw new MalformedMessage('A record has no type.');
}

/** What the log has to know of a stored record. */
export function recordFacts(record: Buffer): { stream: Buffer; revision: number; id: Buffer; position: number } {
  const event = firstField(record, 1);
  const recorded = firstField(event, 1);
  return { stream: firstField(firstField(recorded, 2), 3), revision: firstNumber(recorded, 3), id: idBytes(uuidText(firstField(recorded, 1))), position: firstNumber(event, 3) };
}

/** An event's id as it is stored. */
export function idBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

function firstNumber(message: Buffer, wanted: number): number {
  for (const { number, varint } of fields(message)) if (number === wanted) return Number(varint);
  return 0;
}

function firstField(message: Buffer, wanted: number): Buffer {
  for (const { number, bytes } of fields(message)) if (number === wanted) return bytes;
  throw new MalformedMessage('A record is incomplete.');
}

/** The BatchAppendResp for events that are on disk. */
export function encodeAppended(correlationId: Buffer, stream: Buffer, revision: number, position: number): Buffer {
  const writer = new BackwardWriter(correlationId.length + stream.length + ENVELOPE_BYTES);
  writeStream(writer, 4, stream);
  const success = writer.mark;
  const place = writer.mark;
  writer.varint(2, position);
  writer.varint(1, position);
  writer.enclose(3, place);
  if (revision < 0) writer.bytes(2, NOTHING);
  else writer.varint(1, revision);
  writer.enclose(3, success);
  writer.bytes(1, correlationId);
  return writer.finish();
}

/** The BatchAppendResp for a refusal. @param status a google.rpc.Status's bytes. */
export function encodeRefused(correlationId: Buffer, stream: Buffer, status: Uint8Array): Buffer {
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
