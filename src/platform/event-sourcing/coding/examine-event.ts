import { MODES } from '../../../kernel/accounts.js';
import { isCiphertext } from '../../key-store/encryption.js';
import { type EventSchema, type EventStreams } from './event-schema.js';
import { absentOr, type Check, count, isRecord, oneOf, type Shape, text, wrongField } from '../../../kernel/shape.js';
import { type StoredEvent } from '../recorded-event.js';
import { categoryOf, continuedBy } from '../stream-kind.js';

type Data = Readonly<Record<string, unknown>>;

const chainHash: Check = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const METADATA: Shape = {
  $correlationId: text,
  schema_version: (value) => count(value) && value !== 0,
  mode: absentOr(oneOf(MODES)),
  instance: absentOr(count),
  host: absentOr(text),
  traceparent: absentOr(text),
  prev_hash: absentOr(chainHash),
  hash: absentOr(chainHash),
};

/** Returns why an event of this type cannot be used, from its metadata and the kind of its data, as a clause; undefined if it can. */
export function faultOfEnvelope({ metadata, data }: StoredEvent, { streams, version = 1 }: EventSchema): string | undefined {
  return faultOfMetadata(metadata, version, streams?.chained ?? false) ?? (isRecord(data) ? undefined : 'its data is not a JSON object');
}

/** Returns why data of the current version is not that of an event in this stream, as a clause; undefined if it is. */
export function faultOfData(stream: string, data: Data, { streams, shape, personal = [] }: EventSchema): string | undefined {
  const field = personal.find((name) => !isStoredPersonal(data[name])) ?? (shape && wrongField(shape, data));
  if (field !== undefined) return `its field ${field} is missing or has a value of the wrong kind`;
  return streams && !isHeldBy(streams, stream, data) ? 'it belongs into another stream' : undefined;
}

function isHeldBy({ category, holds, continued }: EventStreams, name: string, data: Data): boolean {
  const stream = (continued ? continuedBy(name) : undefined) ?? name;
  return categoryOf(stream) === category && holds(stream.slice(category.length + 1), data);
}

/** Whether a personal field has a value that the codec wrote: a ciphertext, or none. An upcaster adds an empty object. */
function isStoredPersonal(value: unknown): boolean {
  if (typeof value === 'string') return isCiphertext(value);
  return value === undefined || value === null || (isRecord(value) && Object.keys(value).length === 0);
}

/** Returns why the metadata is not that of an event that this release can use, as a clause; undefined if it is. */
function faultOfMetadata(metadata: unknown, version: number, chained: boolean): string | undefined {
  if (!isRecord(metadata)) return 'its metadata is not that of an event of this service';
  const { schema_version } = metadata;
  if (count(schema_version) && Number(schema_version) > version)
    return `its version ${String(schema_version)} is later than this release knows`;
  const field = wrongField(METADATA, metadata);
  if (field !== undefined) return `${field} in its metadata is missing or has a value of the wrong kind`;
  return chained && metadata.hash === undefined ? 'it has no hash, which every event of its stream has' : undefined;
}
