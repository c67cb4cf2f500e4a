import { type DomainEvent } from './decider.js';

/** An event's metadata, which is never encrypted. `$correlationId` and `$causationId` follow EventStoreDB's conventions. */
export interface EventMetadata {
  readonly $correlationId: string;
  /** Left out if the cause is the request itself, whose id is the correlation id. */
  readonly $causationId?: string;
  readonly schema_version: number;
  readonly mode?: 'live' | 'sandbox';
  /** Number of the instance that made a charge and has to settle or refund it (src/platform/database/instances/instance-presence.ts). */
  readonly instance?: number;
  /** Name of the machine on which a command of the command line ran; events of other origins have none. */
  readonly host?: string;
  /** W3C traceparent of the span that caused the event, if it was traced. */
  readonly traceparent?: string;
  /** Hash of the previous event, in chained events that earlier releases appended. Readers derive it from the previous event. */
  readonly prev_hash?: string;
  /** Hash of this event and, through that of the previous one, of all before it; only in streams with a hash chain (chainHash in stream-kind.ts). */
  readonly hash?: string;
}

/** An event as the event store holds it, with the personal fields of `data` encrypted. */
export interface StoredEvent {
  readonly id: string;
  readonly stream: string;
  readonly revision: bigint;
  /** Position in $all. */
  readonly position: bigint;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: EventMetadata;
}

/** An event as it was read from its stream. */
export interface TimedEvent extends StoredEvent {
  /** When the event store recorded the event, by its own clock, in ms since 1970. */
  readonly createdMs: number;
}

/** An event with the exact bytes that the event store holds of it. */
export interface RawEvent extends Omit<StoredEvent, 'data' | 'metadata'> {
  readonly data: Buffer;
  /** Empty if the event has none. */
  readonly metadata: Buffer;
}

/** An event read from the log, upcast to its current version, with personal fields decrypted unless their key was destroyed. */
export type RecordedEvent<Event extends DomainEvent = DomainEvent> = Event & Omit<StoredEvent, 'type' | 'data'>;

/** An event to be appended. */
export interface NewEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly metadata: EventMetadata;
}

/** An event to be appended with exactly these bytes. */
export interface ExactEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Buffer;
  readonly metadata: Buffer;
  /** Set if the event store is not told that the data are JSON. */
  readonly isBinary?: true;
}

/** An event with the bytes of the log, and the time at which the store recorded it. */
export type TimedRawEvent = RawEvent & Pick<ExactEvent, 'isBinary'> & Pick<TimedEvent, 'createdMs'>;
