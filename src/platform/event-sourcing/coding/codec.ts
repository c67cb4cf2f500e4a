import { DataKeyMissing, type DataKeys, type DataKey } from '../../key-store/data-keys.js';
import { type DomainEvent } from '../decider.js';
import { categoriesOf, type EventCatalogue, type EventSchema } from './event-schema.js';
import { faultOfData, faultOfEnvelope } from './examine-event.js';
import { categoryOf } from '../stream-kind.js';
import { KEY_MISSING, type UnusableEvent } from './unusable-event.js';
import { type EventMetadata, type NewEvent, type RecordedEvent, type StoredEvent } from '../recorded-event.js';

type Data = Readonly<Record<string, unknown>>;

/** Events as they were read, told apart by whether the service can use them. */
export interface SortedEvents {
  readonly usable: readonly StoredEvent[];
  /** The usable events in their current version, with personal fields encrypted. */
  readonly upcast: readonly RecordedEvent[];
  readonly unusable: readonly UnusableEvent[];
  /** Number of events in streams outside of the service's categories. */
  readonly foreign: number;
}

/** The usable events, decoded, and the others. */
export interface DecodedEvents extends Pick<SortedEvents, 'unusable' | 'foreign'> {
  readonly events: readonly RecordedEvent[];
}

/** The value of a personal field whose data key was destroyed because its farmer was erased. */
const UNREADABLE = null;

const UNDECRYPTABLE = 'a personal field cannot be decrypted';

const everyType = (): boolean => true;

/**
 * Converts domain events to stored events and back: encrypts and decrypts personal fields, shortens and expands data, and upcasts old
 * versions. Each encrypted field is bound to its stream, event id and field name, so that a ciphertext copied elsewhere cannot be decrypted.
 */
export class Codec {
  /** The categories of the service's streams; undefined if the catalogue names none. */
  private readonly categories: ReadonlySet<string> | undefined;

  constructor(
    private readonly catalogue: EventCatalogue,
    private readonly keys: DataKeys,
  ) {
    const named = Object.values(catalogue).flatMap(({ streams }) => (streams ? categoriesOf(streams) : []));
    this.categories = named.length === 0 ? undefined : new Set(named);
  }

  /** Returns the categories of the streams that hold events of these types. */
  categoriesOf(types: readonly string[]): ReadonlySet<string> {
    const streams = types.flatMap((type) => this.catalogue[type]?.streams ?? []);
    return new Set(streams.flatMap(categoriesOf));
  }

  /**
   * Tells the events that this release can use from those that something else wrote, or a later release: of an unknown type, of a later
   * version, of another shape or in another stream (docs/adr/0030). Decrypts nothing.
   */
  sort(events: readonly StoredEvent[]): SortedEvents {
    const usable: StoredEvent[] = [];
    const upcast: RecordedEvent[] = [];
    const unusable: UnusableEvent[] = [];
    let foreign = 0;
    for (const event of events) {
      if (this.isForeign(event.stream)) {
        foreign += 1;
        continue;
      }
      const examined = this.examine(event);
      if (typeof examined === 'string') unusable.push({ event, reason: examined });
      else {
        usable.push(event);
        upcast.push(examined);
      }
    }
    return { usable, upcast, unusable, foreign };
  }

  /**
   * Decodes the events that can be used, and names the others instead of failing. @throws DataKeyMissing, CiphertextUnusable if the key store
   * as a whole was lost, so that this is not taken for events that nobody can use
   */
  async decodeUsable(events: readonly StoredEvent[], decrypts: (type: string) => boolean = everyType): Promise<DecodedEvents> {
    const { usable, upcast, unusable, foreign } = this.sort(events);
    const needsKeys = ({ type }: StoredEvent): boolean =>
      this.schema(type).destroysDataKey === true || (this.schema(type).personal !== undefined && decrypts(type));
    const encrypted = usable.filter(needsKeys);
    if (encrypted.length === 0) return { events: upcast, unusable, foreign };
    const undecryptable = new Map<StoredEvent, string>();
    const decoded = await this.decode(encrypted, decrypts, (event, error) => {
      undecryptable.set(event, error instanceof DataKeyMissing ? KEY_MISSING : UNDECRYPTABLE);
    });
    let next = 0;
    const all = usable.flatMap((event, index) => {
      if (undecryptable.has(event)) return [];
      return (needsKeys(event) ? decoded[next++] : upcast[index]) ?? [];
    });
    const failed = [...undecryptable].map(([event, reason]) => ({ event, reason }));
    return { events: all, unusable: [...unusable, ...failed], foreign };
  }

  /** Returns whether a stream is outside of the service's categories, so that something else wrote it. */
  isForeign(stream: string): boolean {
    return this.categories?.has(categoryOf(stream)) === false;
  }

  /** Returns the event, upcast, or why it cannot be used, as a clause. */
  private examine(event: StoredEvent): RecordedEvent | string {
    const schema = Object.hasOwn(this.catalogue, event.type) ? this.catalogue[event.type] : undefined;
    if (!schema) return 'its type is unknown to this release';
    const fault = faultOfEnvelope(event, schema);
    if (fault !== undefined) return fault;
    const upcast = this.upcast(event);
    return faultOfData(event.stream, upcast.data as Data, schema) ?? upcast;
  }

  /** Encrypts the personal fields and returns the events as they are stored. @throws DataKeyMissing, or DataKeyDestroyed for an erased farmer */
  async encode(stream: string, events: readonly (NewEvent & { readonly data: object })[]): Promise<NewEvent[]> {
    const personal = events.filter((event) => this.schema(event.type).personal ?? this.schema(event.type).createsDataKey);
    if (personal.length === 0) return events.map((event) => this.compacted(stream, event));
    const creating = new Set(personal.filter(({ type }) => this.schema(type).createsDataKey).map(({ data }) => rupaIdOf(data)));
    await Promise.all([...creating].map((rupaId) => this.keys.create(rupaId)));
    const dataKeys = await this.keys.load(personal.map(({ data }) => rupaIdOf(data)));
    return events.map((event) => {
      const fields = this.schema(event.type).personal;
      if (!fields) return this.compacted(stream, event);
      const key = required(dataKeys, rupaIdOf(event.data));
      const data = { ...event.data };
      for (const field of fields) {
        if (data[field] === undefined) continue;
        data[field] = key.encrypt(JSON.stringify(data[field]), binding(stream, event.id, field));
      }
      return this.compacted(stream, { ...event, data });
    });
  }

  /**
   * Upcasts the events and decrypts their personal fields. Fields of erased farmers become {@link UNREADABLE}.
   * @param decrypts selects the event types to decrypt; personal fields of other types stay encrypted
   * @param onUndecryptable called for an event that its farmer's key does not decrypt, or whose farmer's key alone is missing or damaged; it is
   *   left out. Without it, `decode` throws
   * @throws DataKeyMissing for a key that neither exists nor was destroyed by an erasure, so that data loss is never taken for an erasure
   */
  async decode(
    events: readonly StoredEvent[],
    decrypts: (type: string) => boolean = everyType,
    onUndecryptable?: (event: StoredEvent, error: unknown) => void,
  ): Promise<RecordedEvent[]> {
    const erased = events.filter(({ type }) => this.schema(type).destroysDataKey).map(({ data }) => rupaIdOf(data));
    if (erased.length > 0) await this.keys.destroy([...new Set(erased)]);
    const fieldsOf = (type: string): readonly string[] | undefined => (decrypts(type) ? this.schema(type).personal : undefined);
    const personal = events.filter(({ type, data }) => fieldsOf(type)?.some((field) => typeof data[field] === 'string'));
    const lost = new Map<string, Error>();
    const onUnusable = onUndecryptable && ((farmer: string, error: Error): void => void lost.set(farmer, error));
    const farmers = personal.map(({ data }) => rupaIdOf(data));
    const dataKeys = farmers.length === 0 ? new Map<string, DataKey>() : await this.keys.load(farmers, onUnusable);
    return events.flatMap((event) => {
      const fields = fieldsOf(event.type);
      if (!fields) return this.upcast(event);
      try {
        return this.upcast(decrypted(event, fields, dataKeys));
      } catch (error) {
        if (!onUndecryptable) throw error;
        onUndecryptable(event, lost.get(rupaIdOf(event.data)) ?? error);
        return [];
      }
    });
  }

  /** Upcasts the event and leaves personal fields encrypted, for readers that need only the unencrypted ones. */
  upcast(event: StoredEvent): RecordedEvent {
    if (typeof event.data !== 'object')
      throw new Error(`The data of event ${event.id} (${event.type}, ${event.stream} at ${event.revision}) is not a JSON object.`);
    const upcasters = this.schema(event.type).upcasters?.slice(event.metadata.schema_version - 1) ?? [];
    const inFull = this.inFull(event);
    if (upcasters.length === 0) return inFull;
    return withData(
      inFull,
      upcasters.reduce((data, upcaster) => upcaster(data), { ...inFull.data }),
    );
  }

  /**
   * Returns the event with the data that its hash covers: in full, never upcast, with personal fields encrypted. An event of an unknown type,
   * or without an object as its data, comes from another application or was tampered with, and is returned as it is.
   * @throws Error if the event has a later version than this release knows
   */
  inFull(event: StoredEvent): StoredEvent {
    const schema = Object.hasOwn(this.catalogue, event.type) ? this.catalogue[event.type] : undefined;
    const { schema_version } = (event.metadata as Partial<EventMetadata> | undefined) ?? {};
    if (!schema || schema_version === undefined) return event;
    if (schema_version > (schema.version ?? 1))
      throw new Error(`Event ${event.id} has version ${schema_version} of ${event.type}: this service is older than the log it reads.`);
    const { storedForm } = schema;
    if (!storedForm || schema_version < storedForm.since || !isObject(event.data)) return event;
    const data = storedForm.expand(event.data, event.stream);
    return data === event.data ? event : withData(event, data);
  }

  /** Returns the fields of a type's data that are encrypted; none for an unknown type. */
  personalFieldsOf(type: string): readonly string[] {
    return (Object.hasOwn(this.catalogue, type) ? this.catalogue[type]?.personal : undefined) ?? [];
  }

  /** Returns the version in which new events of a type are written. */
  version(type: string): number {
    return this.schema(type).version ?? 1;
  }

  private compacted(stream: string, event: NewEvent): NewEvent {
    const { storedForm } = this.schema(event.type);
    if (!storedForm || event.metadata.schema_version < storedForm.since) return event;
    return { ...event, data: storedForm.compact(event.data, stream) };
  }

  private schema(type: string): EventSchema {
    const schema = this.catalogue[type];
    if (!schema) throw new Error(`The event type "${type}" is unknown: this service is older than the log it reads.`);
    return schema;
  }
}

/** Returns the event with other data. Naming the fields takes a fraction of the time that copying unknown ones would. */
function withData({ id, stream, revision, position, type, metadata }: StoredEvent, data: StoredEvent['data']): StoredEvent {
  return { id, stream, revision, position, type, data, metadata };
}

/** Narrows an event to its context's union type. The catalogue guarantees that the types match. */
export function asRecorded<Event extends DomainEvent>(event: RecordedEvent): RecordedEvent<Event> {
  return event as RecordedEvent<Event>;
}

/** Returns the event with its personal fields decrypted. @throws Error if a key does not fit */
function decrypted(event: StoredEvent, fields: readonly string[], dataKeys: ReadonlyMap<string, DataKey>): StoredEvent {
  const data = { ...event.data };
  for (const field of fields) {
    const encrypted = data[field];
    if (typeof encrypted !== 'string') continue;
    const plain = required(dataKeys, rupaIdOf(data)).decrypt(encrypted, binding(event.stream, event.id, field));
    data[field] = plain === undefined ? UNREADABLE : JSON.parse(plain);
  }
  return withData(event, data);
}

function isObject(data: unknown): boolean {
  return typeof data === 'object' && data !== null;
}

function rupaIdOf(data: object): string {
  const { rupa_id } = data as { rupa_id?: unknown };
  if (typeof rupa_id !== 'string') throw new Error('An event with personal data has no rupa_id.');
  return rupa_id;
}

function required(dataKeys: ReadonlyMap<string, DataKey>, rupaId: string): DataKey {
  const dataKey = dataKeys.get(rupaId);
  if (!dataKey) throw new Error(`The data key of ${rupaId} was not loaded.`);
  return dataKey;
}

function binding(stream: string, eventId: string, field: string): string {
  return `${stream}\n${eventId}\n${field}`;
}
