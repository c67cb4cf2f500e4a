import { type EntitySchema } from '@mikro-orm/core';
import { type DomainEvent } from '../event-sourcing/decider.js';
import { type RecordedEvent } from '../event-sourcing/recorded-event.js';

/** A row by the names of its columns; positions in $all are decimal strings, money is integer kobo. */
export type Row = object;

/** The primary key's columns of one row. */
export type Key = Readonly<Record<string, string | number>>;

export interface EventHandler<R extends Row, Event extends DomainEvent> {
  /** The rows that the event concerns, told by its clear fields alone: an erased farmer's events must count as they did. */
  keys(this: void, event: RecordedEvent<Event>): readonly Key[];
  /** One of those rows before and after the event; null where there is none. */
  apply(this: void, row: R | null, event: RecordedEvent<Event>, key: Key): R | null;
  /** The event is the first of its rows' and asks nothing of them: they need not be read. */
  readonly creates?: true;
  /** The event takes its rows away, whatever they hold: they need not be read either. */
  readonly removes?: true;
}

/** The rare event that concerns rows which it cannot name by their keys. */
export interface Wipe {
  readonly where: Readonly<Record<string, string>>;
  /** Columns that become null. */
  readonly columns: readonly string[];
}

export interface WipeHandler<Event extends DomainEvent> {
  wipe(this: void, event: RecordedEvent<Event>): Wipe;
}

/** Stands in place of a handler where an event type leaves the read model as it is. */
export const ignored = 'ignored';

/** Every type of the union is named: a new event type does not compile until each read model of its stream says what it does with it. */
type HandlersOf<R extends Row, Event extends DomainEvent> = {
  readonly [Type in Event['type']]:
    EventHandler<R, Extract<Event, { type: Type }>> | WipeHandler<Extract<Event, { type: Type }>> | typeof ignored;
};

type AnyHandler = EventHandler<Row, DomainEvent> | WipeHandler<DomainEvent> | typeof ignored;

/** A read model: a table and pure functions, run alike live and in a rebuild. */
export interface Projection<R extends Row = Row> {
  readonly name: string;
  /** Raised with any change of table or functions: the rows of an older version are rebuilt. */
  readonly version: number;
  readonly table: EntitySchema;
  /** Of the events that change anything of it. */
  readonly types: ReadonlySet<string>;
  handler(type: string): EventHandler<R, DomainEvent> | undefined;
  wipe(event: RecordedEvent): Wipe | undefined;
}

export function projection<R extends Row, Event extends DomainEvent>(definition: {
  readonly name: string;
  readonly version: number;
  readonly table: EntitySchema;
  readonly handlers: HandlersOf<R, Event>;
}): Projection {
  const { handlers, ...rest } = definition;
  const byType = new Map<string, EventHandler<Row, DomainEvent>>();
  const wipes = new Map<string, WipeHandler<DomainEvent>>();
  for (const [type, handler] of Object.entries(handlers as unknown as Record<string, AnyHandler>)) {
    if (handler === ignored) continue;
    if ('wipe' in handler) wipes.set(type, handler);
    else byType.set(type, handler);
  }
  const types = new Set([...byType.keys(), ...wipes.keys()]);
  return { ...rest, types, handler: (type) => byType.get(type), wipe: (event) => wipes.get(event.type)?.wipe(event) };
}

/** Whether the event changes anything of the read model. */
export function concerns(projection: Projection, event: RecordedEvent): boolean {
  return projection.types.has(event.type);
}
