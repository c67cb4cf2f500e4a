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

type HandlersOf<R extends Row, Event extends DomainEvent> = {
  readonly [Type in Event['type']]?: EventHandler<R, Extract<Event, { type: Type }>>;
};

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

type WipesOf<Event extends DomainEvent> = {
  readonly [Type in Event['type']]?: (this: void, event: RecordedEvent<Extract<Event, { type: Type }>>) => Wipe;
};

/** Types of the union without a handler leave the read model as it is. */
export function projection<R extends Row, Event extends DomainEvent>(definition: {
  readonly name: string;
  readonly version: number;
  readonly table: EntitySchema;
  readonly handlers: HandlersOf<R, Event>;
  readonly wipes?: WipesOf<Event>;
}): Projection {
  const { handlers, wipes = {}, ...rest } = definition;
  const byType = new Map(Object.entries(handlers)) as unknown as Map<string, EventHandler<Row, DomainEvent>>;
  const wipesByType = new Map(Object.entries(wipes)) as unknown as Map<string, (event: RecordedEvent) => Wipe>;
  const types = new Set([...byType.keys(), ...wipesByType.keys()]);
  return { ...rest, types, handler: (type) => byType.get(type), wipe: (event) => wipesByType.get(event.type)?.(event) };
}

/** Whether the event changes anything of the read model. */
export function concerns(projection: Projection, event: RecordedEvent): boolean {
  return projection.types.has(event.type);
}
