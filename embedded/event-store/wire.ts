import shared from '@eventstore/db-client/generated/shared_pb.js';
import streams from '@eventstore/db-client/generated/streams_pb.js';
import { type PlacedEvent, type StoredRecord } from './log.js';

const LENGTH_DELIMITED = 2;
const EVENT_FIELD = (1 << 3) | LENGTH_DELIMITED;
/** ReadEvent.commit_position: field 3, a varint. */
const COMMIT_POSITION_FIELD = 3 << 3;

/** A RecordedEvent's bytes: made once, when it is appended, and sent as they are ever after. */
export function encodeRecordedEvent(event: PlacedEvent): Uint8Array {
  const recorded = new streams.ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(uuid(event.id));
  recorded.setStreamIdentifier(streamIdentifier(event.stream));
  recorded.setStreamRevision(event.revision.toString());
  recorded.setPreparePosition(event.position.toString());
  recorded.setCommitPosition(event.position.toString());
  recorded.getMetadataMap().set('type', event.type).set('content-type', event.contentType).set('created', event.created.toString());
  recorded.setCustomMetadata(event.customMetadata);
  recorded.setData(event.data);
  return recorded.serializeBinary();
}

/** A ReadResp with one event, written around the stored bytes. */
export function readEventResponse({ bytes, position }: StoredRecord): Buffer {
  const commit = varint(position);
  const recordedLength = varint(bytes.length);
  const readEventLength = 1 + recordedLength.length + bytes.length + 1 + commit.length;
  return Buffer.concat([
    Buffer.from([EVENT_FIELD]),
    varint(readEventLength),
    Buffer.from([EVENT_FIELD]),
    recordedLength,
    bytes,
    Buffer.from([COMMIT_POSITION_FIELD]),
    commit,
  ]);
}

export function uuid(text: string): shared.UUID {
  const id = new shared.UUID();
  id.setString(text);
  return id;
}

/** A UUID in either of its two forms. */
export function uuidText(id: shared.UUID | undefined): string {
  const structured = id?.getStructured();
  if (!structured) return id?.getString() ?? '';
  const half = (bits: string): string => BigInt.asUintN(64, BigInt(bits)).toString(16).padStart(16, '0');
  const hex = half(structured.getMostSignificantBits()) + half(structured.getLeastSignificantBits());
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function streamIdentifier(stream: string): shared.StreamIdentifier {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream));
  return identifier;
}

export function streamName(identifier: shared.StreamIdentifier | undefined): string {
  return Buffer.from(identifier?.getStreamName_asU8() ?? []).toString('utf8');
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}
