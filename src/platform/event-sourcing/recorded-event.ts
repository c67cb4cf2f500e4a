import { type DomainEvent } from './decider.js';

/** Clear text beside an event's data. `$correlationId` and `$causationId` are EventStoreDB's conventions. */
export interface EventMetadata {
  readonly $correlationId: string;
  readonly $causationId: string;
  readonly schema_version: number;
  readonly mode?: 'live' | 'sandbox';
  /** W3C: the span that the event came of, where it was traced. */
  readonly traceparent?: string;
  /** Streams with a hash chain only: see hash-chain.ts. */
  readonly prev_hash?: string;
  readonly hash?: string;
}

/** An event as the event store holds it: what is personal in `data` is encrypted. */
export interface StoredEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  /** Place in $all. */
  readonly position: bigint;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: EventMetadata;
}

/** An event read from the log, lifted to today's shape, with personal data opened where its key still exists. */
export type RecordedEvent<Event extends DomainEvent = DomainEvent> = Event & Omit<StoredEvent, 'type' | 'data'>;

/** An event on its way into the log. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: EventMetadata;
}
