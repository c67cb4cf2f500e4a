import { type Stream } from './storing/tables.js';
import { createdMsOf, dataOf, isJson } from './serving/wire.js';

/** The name of a stream with the metadata of another stream begins with this. */
export const METADATA_PREFIX = Buffer.from('$$');
/** The `$tb` of a stream that is deleted until somebody appends to it. JSON.parse cannot hold it exactly. */
const DELETED = 2 ** 63;
/** EventStoreDB records this metadata when a stream is deleted. */
export const DELETION = Buffer.from('{"$tb":9223372036854775807}');

/** The events of a stream that its metadata hides. $all shows them all the same. */
export interface Retention {
  /** Whether the stream looks as if it had never been. */
  readonly isDeleted: boolean;
  /** Events of earlier revisions are hidden. */
  readonly before: number;
  /** Number of the newest events that are shown. */
  readonly maxCount: number;
  /** Milliseconds after which an event is hidden. */
  readonly maxAgeMs: number;
}

const KEEPS_ALL: Retention = { isDeleted: false, before: 0, maxCount: Infinity, maxAgeMs: Infinity };
/** A stream with metadata shows the newest of it. */
const KEEPS_ONE: Retention = { ...KEEPS_ALL, maxCount: 1 };

/** The part of the log that this module reads. */
export interface MetadataSource {
  /** Whether any stream has metadata. */
  readonly hasMetadata: boolean;
  stream(name: Buffer): Stream;
  recordAt(position: number): Buffer;
}

export function isMetadataStream(stream: Buffer): boolean {
  return stream.subarray(0, METADATA_PREFIX.length).equals(METADATA_PREFIX);
}

export function metadataStreamOf(stream: Buffer): Buffer {
  return Buffer.concat([METADATA_PREFIX, stream]);
}

/** Returns the stream that a stream with metadata is about. */
export function subjectOf(metadataStream: Buffer): Buffer {
  return metadataStream.subarray(METADATA_PREFIX.length);
}

/** Returns what the newest metadata of a stream hides of it. */
export function retentionOf(source: MetadataSource, stream: Buffer): Retention {
  if (!source.hasMetadata) return KEEPS_ALL;
  if (isMetadataStream(stream)) return KEEPS_ONE;
  const newest = newestMetadata(source, stream);
  // EventStoreDB takes other bytes for no metadata, even if they are JSON.
  return newest && isJson(newest) ? retentionIn(parsed(dataOf(newest))) : KEEPS_ALL;
}

/** Returns the newest record of a stream's metadata. */
export function newestMetadata(source: MetadataSource, stream: Buffer): Buffer | undefined {
  const { lastRevision, isTombstoned, positionAt } = source.stream(metadataStreamOf(stream));
  return lastRevision < 0 || isTombstoned ? undefined : source.recordAt(positionAt(lastRevision));
}

/** Returns the first revision that a reader of the stream sees; behind the newest one if it sees none. */
export function firstShown(source: MetadataSource, stream: Buffer, { before, maxCount, maxAgeMs }: Retention): number {
  const { lastRevision: newest, positionAt } = source.stream(stream);
  let first = Math.min(Math.max(before, newest - maxCount + 1), newest + 1);
  if (maxAgeMs === Infinity) return first;
  const oldest = Date.now() - maxAgeMs;
  while (first <= newest && createdMsOf(source.recordAt(positionAt(first))) < oldest) first += 1;
  return first;
}

/** Returns the metadata with `$tb` at a revision, which EventStoreDB records when a deleted stream gets an event or other metadata. */
export function truncatedBefore(metadata: Buffer, revision: number): Buffer {
  return Buffer.from(JSON.stringify({ ...parsed(metadata), $tb: revision }));
}

function retentionIn({ $tb, $maxCount, $maxAge }: Readonly<Record<string, unknown>>): Retention {
  const positive = (value: unknown): number | undefined => (typeof value === 'number' && value > 0 ? value : undefined);
  const before = positive($tb) ?? 0;
  return {
    isDeleted: before >= DELETED,
    before,
    maxCount: positive($maxCount) ?? Infinity,
    maxAgeMs: (positive($maxAge) ?? Infinity) * 1_000,
  };
}

/** Metadata that is no JSON object hides nothing. */
function parsed(data: Buffer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(data.toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
