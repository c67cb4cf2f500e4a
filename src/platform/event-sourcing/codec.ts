import { type DataKeys, type DataKey } from '../key-store/data-keys.js';
import { type DomainEvent } from './decider.js';
import { type NewEvent, type RecordedEvent, type StoredEvent } from './recorded-event.js';

/** How the codec upcasts and encrypts an event type. */
export interface EventSchema {
  /** Current version of `data`: the number of upcasters plus 1. */
  readonly version?: number;
  /** The upcaster at index i converts `data` from version i + 1 to i + 2. No other code knows the old shapes. */
  readonly upcasters?: readonly ((data: Record<string, unknown>) => Record<string, unknown>)[];
  /** Fields of `data` that are encrypted under the data key of the farmer in `data.rupa_id`. */
  readonly personal?: readonly string[];
  /** Set for the first event of a farmer, the only one whose encoding creates a data key. */
  readonly createsDataKey?: boolean;
  /** Set for the event that erases a farmer: `decode` destroys the data key before it decrypts anything of that farmer. */
  readonly destroysDataKey?: boolean;
}

export type EventCatalogue = Readonly<Record<string, EventSchema>>;

/** The value of a personal field whose data key was destroyed because its farmer was erased. */
export const UNREADABLE = null;

const everyType = (): boolean => true;

/**
 * Converts domain events to stored events and back: encrypts and decrypts personal fields, and upcasts old versions.
 * Each encrypted field is bound to its stream, event id and field name, so that a ciphertext copied elsewhere cannot be decrypted.
 */
export class Codec {
  constructor(
    private readonly catalogue: EventCatalogue,
    private readonly keys: DataKeys,
  ) {}

  /** Encrypts the personal fields. @throws DataKeyMissing, or DataKeyDestroyed for an erased farmer */
  async encode(stream: string, events: readonly (NewEvent & { readonly data: object })[]): Promise<NewEvent[]> {
    const personal = events.filter((event) => this.schema(event.type).personal ?? this.schema(event.type).createsDataKey);
    if (personal.length === 0) return [...events];
    const creating = new Set(personal.filter(({ type }) => this.schema(type).createsDataKey).map(({ data }) => rupaIdOf(data)));
    await Promise.all([...creating].map((rupaId) => this.keys.create(rupaId)));
    const dataKeys = await this.keys.load(personal.map(({ data }) => rupaIdOf(data)));
    return events.map((event) => {
      const fields = this.schema(event.type).personal;
      if (!fields) return event;
      const key = required(dataKeys, rupaIdOf(event.data));
      const data = { ...event.data };
      for (const field of fields) {
        if (data[field] === undefined) continue;
        data[field] = key.encrypt(JSON.stringify(data[field]), binding(stream, event.id, field));
      }
      return { ...event, data };
    });
  }

  /**
   * Upcasts the events and decrypts their personal fields. Fields of erased farmers become {@link UNREADABLE}.
   * @param decrypts selects the event types to decrypt; personal fields of other types stay encrypted
   * @throws DataKeyMissing for a key that neither exists nor was destroyed by an erasure, so that data loss is never taken for an erasure
   */
  async decode(events: readonly StoredEvent[], decrypts: (type: string) => boolean = everyType): Promise<RecordedEvent[]> {
    const erased = events.filter(({ type }) => this.schema(type).destroysDataKey).map(({ data }) => rupaIdOf(data));
    if (erased.length > 0) await this.keys.destroy([...new Set(erased)]);
    const fieldsOf = (type: string): readonly string[] | undefined => (decrypts(type) ? this.schema(type).personal : undefined);
    const personal = events.filter(({ type, data }) => fieldsOf(type)?.some((field) => typeof data[field] === 'string'));
    const dataKeys = personal.length === 0 ? new Map<string, DataKey>() : await this.keys.load(personal.map(({ data }) => rupaIdOf(data)));
    return events.map((event) => {
      const fields = fieldsOf(event.type);
      if (!fields) return this.upcast(event);
      const data = { ...event.data };
      for (const field of fields) {
        const encrypted = data[field];
        if (typeof encrypted !== 'string') continue;
        const text = required(dataKeys, rupaIdOf(data)).decrypt(encrypted, binding(event.stream, event.id, field));
        data[field] = text === undefined ? UNREADABLE : JSON.parse(text);
      }
      return this.upcast({ ...event, data });
    });
  }

  /** Upcasts the event and leaves personal fields encrypted, for readers that need only the unencrypted ones. */
  upcast(event: StoredEvent): RecordedEvent {
    if (typeof event.data !== 'object')
      throw new Error(`The data of event ${event.id} (${event.type}, ${event.stream} at ${event.revision}) is not a JSON object.`);
    const { schema_version } = event.metadata;
    if (schema_version > this.version(event.type))
      throw new Error(`Event ${event.id} has version ${schema_version} of ${event.type}: this service is older than the log it reads.`);
    const upcasters = this.schema(event.type).upcasters?.slice(schema_version - 1) ?? [];
    return upcasters.length === 0 ? event : { ...event, data: upcasters.reduce((data, upcaster) => upcaster(data), { ...event.data }) };
  }

  version(type: string): number {
    return this.schema(type).version ?? 1;
  }

  private schema(type: string): EventSchema {
    const schema = this.catalogue[type];
    if (!schema) throw new Error(`The event type "${type}" is unknown: this service is older than the log it reads.`);
    return schema;
  }
}

/** Narrows an event to its context's union type. The catalogue guarantees that the types match. */
export function asRecorded<Event extends DomainEvent>(event: RecordedEvent): RecordedEvent<Event> {
  return event as RecordedEvent<Event>;
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
