import { type DataKeys, type Opener } from '../key-store/data-keys.js';
import { type DomainEvent } from './decider.js';
import { type NewEvent, type RecordedEvent, type StoredEvent } from './recorded-event.js';

/** What the codec has to know of an event type beyond its shape. */
export interface EventSchema {
  /** The version that `data` has today; 1 unless an upcaster says otherwise. */
  readonly version?: number;
  /** Lifts `data` from version i + 1 to i + 2: old shapes are known nowhere else. */
  readonly upcasters?: readonly ((data: Record<string, unknown>) => Record<string, unknown>)[];
  /** Fields of `data` that are encrypted under the data key of the farmer in `data.rupa_id`. */
  readonly personal?: readonly string[];
  /** The first event of a farmer is the only one that may bring a data key into being. */
  readonly createsDataKey?: boolean;
  /** The last event of a farmer: whoever reads it sees the data key destroyed before anything of that farmer is opened. */
  readonly destroysDataKey?: boolean;
}

export type EventCatalogue = Readonly<Record<string, EventSchema>>;

/** Stands where personal data was that no key opens any more: its farmer was erased. */
export const UNREADABLE = null;

const everyType = (): boolean => true;

/**
 * Between domain events and what lies in the log: encrypts and opens personal data, lifts old versions.
 * Encrypted fields are bound to their stream, event id and name, so that none can be moved elsewhere.
 */
export class Codec {
  constructor(
    private readonly catalogue: EventCatalogue,
    private readonly keys: DataKeys,
  ) {}

  /** @throws DataKeyMissing, or DataKeyDestroyed for an erased farmer. */
  async encode(stream: string, events: readonly (NewEvent & { readonly data: object })[]): Promise<NewEvent[]> {
    const personal = events.filter((event) => this.schema(event.type).personal ?? this.schema(event.type).createsDataKey);
    if (personal.length === 0) return [...events];
    const creating = new Set(personal.filter(({ type }) => this.schema(type).createsDataKey).map(({ data }) => rupaIdOf(data)));
    await Promise.all([...creating].map((rupaId) => this.keys.create(rupaId)));
    const openers = await this.keys.open(personal.map(({ data }) => rupaIdOf(data)));
    return events.map((event) => {
      const fields = this.schema(event.type).personal;
      if (!fields) return event;
      const key = required(openers, rupaIdOf(event.data));
      const data = { ...event.data };
      for (const field of fields) {
        if (data[field] === undefined) continue;
        data[field] = key.encrypt(JSON.stringify(data[field]), binding(stream, event.id, field));
      }
      return { ...event, data };
    });
  }

  /**
   * Personal fields of erased farmers come out as {@link UNREADABLE}.
   * @param opened types whose personal fields are wanted; those of others stay encrypted
   * @throws DataKeyMissing for a key that is neither there nor destroyed on purpose: that must never pass for an erasure.
   */
  async decode(events: readonly StoredEvent[], opened: (type: string) => boolean = everyType): Promise<RecordedEvent[]> {
    const erased = events.filter(({ type }) => this.schema(type).destroysDataKey).map(({ data }) => rupaIdOf(data));
    if (erased.length > 0) await this.keys.destroy([...new Set(erased)]);
    const fieldsOf = (type: string): readonly string[] | undefined => (opened(type) ? this.schema(type).personal : undefined);
    const personal = events.filter(({ type }) => fieldsOf(type));
    const openers = personal.length === 0 ? new Map<string, Opener>() : await this.keys.open(personal.map(({ data }) => rupaIdOf(data)));
    return events.map((event) => {
      const fields = fieldsOf(event.type);
      if (!fields) return this.clear(event);
      const data = { ...event.data };
      for (const field of fields) {
        const encrypted = data[field];
        if (typeof encrypted !== 'string') continue;
        const text = required(openers, rupaIdOf(data)).open(encrypted, binding(event.stream, event.id, field));
        data[field] = text === undefined ? UNREADABLE : JSON.parse(text);
      }
      return this.clear({ ...event, data });
    });
  }

  /** In today's shape, with personal fields still encrypted: for those who only need the clear ones. */
  clear(event: StoredEvent): RecordedEvent {
    if (typeof event.data !== 'object')
      throw new Error(`Event ${event.id} (${event.type}, ${event.stream} at ${event.revision}) is no JSON object.`);
    const steps = this.schema(event.type).upcasters?.slice(event.metadata.schema_version - 1) ?? [];
    return steps.length === 0 ? event : { ...event, data: steps.reduce((lifted, step) => step(lifted), { ...event.data }) };
  }

  version(type: string): number {
    return this.schema(type).version ?? 1;
  }

  private schema(type: string): EventSchema {
    const schema = this.catalogue[type];
    if (!schema) throw new Error(`No event type "${type}" is known: this service is older than the log it reads.`);
    return schema;
  }
}

/** Reads an event as one of its context's union, whose types the catalogue guarantees. */
export function asRecorded<Event extends DomainEvent>(event: RecordedEvent): RecordedEvent<Event> {
  return event as RecordedEvent<Event>;
}

function rupaIdOf(data: object): string {
  const { rupa_id } = data as { rupa_id?: unknown };
  if (typeof rupa_id !== 'string') throw new Error('An event with personal data names no rupa_id.');
  return rupa_id;
}

function required(openers: ReadonlyMap<string, Opener>, rupaId: string): Opener {
  const opener = openers.get(rupaId);
  if (!opener) throw new Error(`No data key was looked up for ${rupaId}.`);
  return opener;
}

function binding(stream: string, eventId: string, field: string): string {
  return `${stream}\n${eventId}\n${field}`;
}
