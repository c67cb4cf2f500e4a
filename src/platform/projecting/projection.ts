import { type EntitySchema } from '@mikro-orm/core';
import { type DomainEvent } from '../event-sourcing/decider.js';
import { indexableText, storableText } from '../database/postgres-text.js';
import { type RecordedEvent } from '../event-sourcing/recorded-event.js';
import { type Derivation, type Derived } from './derived.js';
import { type ReadTable } from './read-table.js';

/** A table row, keyed by column name. Positions in $all are decimal strings; money is integer kobo. */
export type Row = object;

/** Columns that a table whose rows decide about money, access or data has beside its own (evidence, "Where a table decides"). */
export interface Authenticated {
  /** Revision of the last event that was applied to the row, as decimal text. */
  readonly event_revision: string;
  /** Id of a master key, a colon, and an HMAC-SHA-256 in base64. Empty if the row was made from one whose MAC did not hold. */
  readonly mac: string;
}

/** A row as its projection makes it, before the projector adds its MAC. */
export type WithoutMac<R extends Authenticated> = Omit<R, keyof Authenticated>;

/** The primary key columns of one row, with their values. */
export type Key = Readonly<Record<string, string | number>>;

export interface EventHandler<R extends Row, Event extends DomainEvent> {
  /** Returns the keys of the rows that the event changes, from unencrypted fields only, so that an erasure does not change the result. */
  keys(this: void, event: RecordedEvent<Event>): readonly Key[];
  /**
   * Returns the row after the event, given the row before it; null means that no row exists.
   * @param rows the rows of all keys of the event, in their order, as they were before it
   */
  apply(this: void, row: R | null, event: RecordedEvent<Event>, key: Key, rows: readonly (R | null)[]): R | null;
  /** Set when the event is always the first for its rows, so that the projector need not load them. */
  readonly creates?: true;
  /** Set when the event deletes its rows whatever they contain, so that the projector need not load them. */
  readonly removes?: true;
}

/** An update of all rows that match a condition, for events that cannot list the primary keys of the rows they change. */
export interface Wipe {
  readonly where: Readonly<Record<string, string>>;
  /** Columns that are set to null. */
  readonly columns: readonly string[];
}

interface WipeHandler<Event extends DomainEvent> {
  wipe(this: void, event: RecordedEvent<Event>): Wipe;
}

/** Marks an event type that does not change the read model. */
export const ignored = 'ignored';

/** Requires an entry for every event type: a new type does not compile until each read model of its stream handles or ignores it. */
type HandlersOf<R extends Row, Event extends DomainEvent> = {
  readonly [Type in Event['type']]:
    EventHandler<R, Extract<Event, { type: Type }>> | WipeHandler<Extract<Event, { type: Type }>> | typeof ignored;
};

type AnyHandler = EventHandler<Row, DomainEvent> | WipeHandler<DomainEvent> | typeof ignored;

/** A read model: a table and the pure functions that fill it, the same ones live and in a rebuild. */
export interface Projection<R extends Row = Row> extends ReadTable {
  /** Set for a table whose rows the instances cache: the projector announces each change, so that they forget theirs. */
  readonly cached?: true;
  /** Set for a table each of whose rows shows one stream, with the revision of the last event that changed it. */
  readonly followsStream?: true;
  /** Tables whose rows follow from the rows of this one. They are written, rebuilt and verified with it. */
  readonly derived: readonly Derived[];
  /** Event types that the projection does not ignore. */
  readonly types: ReadonlySet<string>;
  handler(type: string): EventHandler<R, DomainEvent> | undefined;
  wipe(event: RecordedEvent): Wipe | undefined;
}

export function projection<R extends Row, Event extends DomainEvent>(definition: {
  readonly name: string;
  readonly version: number;
  readonly table: EntitySchema;
  readonly fillFactor?: number;
  readonly personal?: true;
  readonly cached?: true;
  readonly followsStream?: true;
  readonly comparedHourly?: true;
  readonly derived?: readonly Derivation[];
  readonly handlers: HandlersOf<R, Event>;
}): Projection {
  const { handlers, derived = [], ...rest } = definition;
  const indexed = indexedColumns(definition.table);
  const authenticated = isAuthenticated(definition.table);
  const byType = new Map<string, EventHandler<Row, DomainEvent>>();
  const wipes = new Map<string, WipeHandler<DomainEvent>>();
  for (const [type, handler] of Object.entries(handlers as unknown as Record<string, AnyHandler>)) {
    if (handler === ignored) continue;
    if ('wipe' in handler) wipes.set(type, handler);
    else {
      if (handler.removes && derived.length > 0)
        throw new Error(`${definition.name} would remove rows for ${type} that the tables derived from it have not seen.`);
      byType.set(type, {
        ...handler,
        apply: (row, event, key, rows) => {
          const after = indexableRow(handler.apply(row, event, key, rows), indexed);
          if (!authenticated || !after) return after;
          // A loaded row has a MAC only if it does not hold, and what derives from such a row must not get one that does.
          const mac = rows.map((each) => (each as Partial<Authenticated> | null)?.mac).find((each) => each !== undefined);
          return { ...after, event_revision: event.revision.toString(), ...(mac === undefined ? {} : { mac }) };
        },
      });
    }
  }
  const types = new Set([...byType.keys(), ...wipes.keys()]);
  return {
    ...rest,
    authenticated,
    derived: derived.map((each) => ({ ...each, version: definition.version, authenticated: isAuthenticated(each.table) })),
    types,
    handler: (type) => byType.get(type),
    wipe: (event) => indexableWipe(wipes.get(event.type)?.wipe(event), indexed),
  };
}

function isAuthenticated({ meta }: EntitySchema): boolean {
  return 'mac' in meta.properties;
}

/** Returns the tables of the projections: each one's own, and those derived from it. */
export function tablesOf(projections: readonly Projection[]): readonly ReadTable[] {
  return projections.flatMap((each) => [each, ...each.derived]);
}

/** Returns those of the projections' tables whose rows have MACs, because calls decide by them. */
export function authenticatedTables(projections: readonly Projection[]): readonly ReadTable[] {
  return tablesOf(projections).filter(({ authenticated }) => authenticated);
}

/** Returns those of the projections' tables by which calls decide: each is compared with the log every hour. */
export function decidingTables(projections: readonly Projection[]): readonly ReadTable[] {
  return tablesOf(projections).filter(({ authenticated, comparedHourly }) => authenticated || comparedHourly);
}

/** Returns whether the event may change the read model. */
export function handles(projection: Projection, event: RecordedEvent): boolean {
  return projection.types.has(event.type);
}

/** Returns the key with texts that fit into the index of the primary key. */
export function indexableKey(key: Key): Key {
  return Object.fromEntries(Object.entries(key).map(([name, value]) => [name, typeof value === 'string' ? indexableText(value) : value]));
}

/** Returns the names of the columns that an index contains. */
function indexedColumns({ meta }: EntitySchema): readonly string[] {
  const properties = Object.entries(meta.properties as Record<string, { primary?: boolean; unique?: boolean | string }>);
  const single = properties.filter(([, { primary, unique }]) => primary ?? unique).map(([name]) => name);
  return [
    ...new Set([...single, ...[...meta.indexes, ...meta.uniques].flatMap(({ properties: names }) => (names ?? []) as readonly string[])]),
  ];
}

/**
 * Makes the texts of indexed columns fit. Handlers cannot be left to do this, because one text that is too long would stop the read model
 * for good. The other columns are made storable when they are written (read-model-table.ts).
 */
function indexableRow(row: Row | null, indexed: readonly string[]): Row | null {
  if (row === null) return row;
  let result = row as Readonly<Record<string, unknown>>;
  for (const name of indexed) {
    const value = result[name];
    if (typeof value !== 'string') continue;
    const text = indexableText(value);
    if (text !== value) result = { ...result, [name]: text };
  }
  return result;
}

function indexableWipe(wipe: Wipe | undefined, indexed: readonly string[]): Wipe | undefined {
  if (!wipe) return wipe;
  const where = Object.entries(wipe.where).map(([name, value]) => [
    name,
    indexed.includes(name) ? indexableText(value) : storableText(value),
  ]);
  return { ...wipe, where: Object.fromEntries(where) as Wipe['where'] };
}
