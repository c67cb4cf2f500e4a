import { indexableText } from '../../database/postgres-text.js';
import { type DomainEvent } from '../../event-sourcing/decider.js';
import { type RecordedEvent } from '../../event-sourcing/recorded-event.js';
import { type RowChange } from '../derived.js';
import { type EventHandler, type Key, type Projection, type Row, type Wipe } from '../projection.js';

/** An event with its handler and the keys of the rows that it changes. */
export interface HandledEvent {
  readonly event: RecordedEvent;
  readonly handler: EventHandler<Row, DomainEvent>;
  readonly keys: readonly (readonly [text: string, key: Key])[];
}

/** The row changes that result from a batch of events. */
export interface RowChanges {
  /** Rows that should not exist yet: their first event in the batch is one that creates rows. */
  readonly added: readonly Row[];
  readonly upserts: readonly Row[];
  readonly deletions: readonly Key[];
}

/** The row changes of a batch, and in `changes` each of them with the row before it. */
export interface FoldedRows extends RowChanges {
  readonly changes: readonly RowChange[];
}

/** A projection cannot apply an event, because its handler threw or PostgreSQL rejected the rows. Only this projection stops there. */
export class ProjectionFault extends Error {
  override name = 'ProjectionFault';

  constructor(
    readonly event: RecordedEvent,
    cause: unknown,
  ) {
    super(`event ${event.id} (${event.type}, ${event.stream} at ${event.revision}): ${reasonOf(cause)}`, { cause });
  }
}

/** Returns a reason without personal data, which messages of the database and of a parser may quote. */
function reasonOf(cause: unknown): string {
  const { code, column, constraint } = cause as { code?: unknown; column?: string; constraint?: string };
  if (typeof code === 'string')
    return ['PostgreSQL rejected its rows with SQLSTATE', code, column ?? constraint].filter((part) => part !== undefined).join(' ');
  if (cause instanceof SyntaxError || !(cause instanceof Error)) return 'its data cannot be parsed';
  return cause.message;
}

/** Joins the values of a key, as the index holds them, with NUL, which PostgreSQL texts cannot contain. */
export function keyText(key: Key): string {
  let text: string | undefined;
  for (const name in key) {
    const value = key[name] ?? '';
    const part = typeof value === 'string' ? indexableText(value) : value.toString();
    text = text === undefined ? part : `${text}\0${part}`;
  }
  return text ?? '';
}

/** Returns the events that the projection handles, up to the first one whose keys cannot be determined. */
export function handledEvents(
  projection: Projection,
  events: readonly RecordedEvent[],
): { readonly handled: readonly HandledEvent[]; readonly fault?: ProjectionFault } {
  const handled: HandledEvent[] = [];
  for (const event of events) {
    const handler = projection.handler(event.type);
    if (!handler) continue;
    try {
      handled.push({ event, handler, keys: handler.keys(event).map((key) => [keyText(key), key]) });
    } catch (error) {
      return { handled, fault: new ProjectionFault(event, error) };
    }
  }
  return { handled };
}

/** Returns the keys of the rows that must be loaded before the events are applied, by key text. */
export function keysToLoad(handled: readonly HandledEvent[]): Map<string, Key> {
  const toLoad = new Map<string, Key>();
  const notNeeded = new Set<string>();
  for (const { handler, keys } of handled) {
    for (const [text, key] of keys) {
      if (toLoad.has(text) || notNeeded.has(text)) continue;
      if (handler.creates || handler.removes) notNeeded.add(text);
      else toLoad.set(text, key);
    }
  }
  return toLoad;
}

/** Splits the events after each wipe. The events of a run are folded together, and its wipe is executed after them. */
export function splitAfterWipes(
  projection: Projection,
  events: readonly RecordedEvent[],
): { readonly events: readonly RecordedEvent[]; readonly wipe: Wipe | undefined }[] {
  const runs: { events: RecordedEvent[]; wipe: Wipe | undefined }[] = [{ events: [], wipe: undefined }];
  for (const event of events) {
    const run = runs.at(-1);
    if (!run) continue;
    run.events.push(event);
    run.wipe = projection.wipe(event);
    if (run.wipe) runs.push({ events: [], wipe: undefined });
  }
  return runs.filter((run) => run.events.length > 0);
}

/** Applies events in order to the stored rows, and returns only the rows that change. @throws ProjectionFault */
export function fold(handled: readonly HandledEvent[], stored: ReadonlyMap<string, Row>): FoldedRows {
  const rows = new Map<string, { key: Key; row: Row | null; isNew: boolean; mayExist: boolean }>();
  for (const { event, handler, keys } of handled) {
    const before = keys.map(([text]) => (rows.get(text) ?? { row: stored.get(text) ?? null }).row);
    for (const [index, [text, key]] of keys.entries()) {
      const row = applyEvent(handler, event, key, before, index);
      const { isNew, mayExist } = rows.get(text) ?? { isNew: handler.creates === true, mayExist: handler.removes === true };
      rows.set(text, { key, row, isNew, mayExist });
    }
  }
  // A row that was removed without being loaded may exist, and must be deleted.
  const changed = [...rows].filter(([text, { row, mayExist }]) => mayExist || row !== (stored.get(text) ?? null));
  return foldedRows(changed.map(([text, each]) => ({ ...each, before: stored.get(text) ?? null })));
}

function foldedRows(changed: readonly { key: Key; before: Row | null; row: Row | null; isNew: boolean }[]): FoldedRows {
  return {
    changes: changed.map(({ before, row }) => ({ before, after: row })),
    added: changed.flatMap(({ row, isNew }) => (row && isNew ? [row] : [])),
    upserts: changed.flatMap(({ row, isNew }) => (row && !isNew ? [row] : [])),
    deletions: changed.flatMap(({ key, row }) => (row ? [] : [key])),
  };
}

/**
 * Returns the row of a key after the event.
 * @param rows the rows of all keys of the event before it
 * @param index the place of the key among them
 * @throws ProjectionFault
 */
export function applyEvent(
  handler: EventHandler<Row, DomainEvent>,
  event: RecordedEvent,
  key: Key,
  rows: readonly (Row | null)[],
  index: number,
): Row | null {
  try {
    return handler.apply(rows[index] ?? null, event, key, rows);
  } catch (error) {
    throw new ProjectionFault(event, error);
  }
}
