import { type DomainEvent } from '../event-sourcing/decider.js';
import { type RecordedEvent } from '../event-sourcing/recorded-event.js';
import { type EventHandler, type Key, type Projection, type Row, type Wipe } from './projection.js';

/** An event with the rows that it concerns. */
export interface Due {
  readonly event: RecordedEvent;
  readonly handler: EventHandler<Row, DomainEvent>;
  readonly keys: readonly (readonly [text: string, key: Key])[];
}

/** What a batch of events makes of the rows that it concerns. */
export interface Folded {
  /** Rows that are new, as far as anybody knows. */
  readonly added: readonly Row[];
  readonly upserts: readonly Row[];
  readonly deletions: readonly Key[];
}

/** Thrown by a projection's own functions: it stops at this event, the others go on. */
export class ProjectionFault extends Error {
  override name = 'ProjectionFault';

  constructor(
    readonly event: RecordedEvent,
    cause: unknown,
  ) {
    super(`event ${event.id} (${event.type}, ${event.stream} at ${event.revision}): ${reasonOf(cause)}`, { cause });
  }
}

/** What the database or a parser says may repeat what it was given, which may be personal. */
function reasonOf(cause: unknown): string {
  const { code, column, constraint } = cause as { code?: unknown; column?: string; constraint?: string };
  if (typeof code === 'string')
    return ['PostgreSQL refuses it with', code, column ?? constraint].filter((part) => part !== undefined).join(' ');
  if (cause instanceof SyntaxError || !(cause instanceof Error)) return 'it cannot be read';
  return cause.message;
}

/** Told apart by a character that no text in PostgreSQL has. */
export function keyText(key: Key): string {
  return Object.values(key).join('\0');
}

/** Events that a projection takes, up to the first one whose keys cannot be told. */
export function dueOf(
  projection: Projection,
  events: readonly RecordedEvent[],
): { readonly due: readonly Due[]; readonly fault?: ProjectionFault } {
  const due: Due[] = [];
  for (const event of events) {
    const handler = projection.handler(event.type);
    if (!handler) continue;
    try {
      due.push({ event, handler, keys: handler.keys(event).map((key) => [keyText(key), key]) });
    } catch (error) {
      return { due, fault: new ProjectionFault(event, error) };
    }
  }
  return { due };
}

/** Every row that must be read before the events are applied, by the text of its key. */
export function wantedOf(due: readonly Due[]): Map<string, Key> {
  const wanted = new Map<string, Key>();
  const unread = new Set<string>();
  for (const { handler, keys } of due) {
    for (const [text, key] of keys) {
      if (wanted.has(text) || unread.has(text)) continue;
      if (handler.creates || handler.removes) unread.add(text);
      else wanted.set(text, key);
    }
  }
  return wanted;
}

/** Events in runs that can be folded, each ended by a wipe or by the end. */
export function runsOf(
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

/** Applies events in order to the rows as stored; answers only what differs. @throws ProjectionFault */
export function fold(due: readonly Due[], stored: ReadonlyMap<string, Row>): Folded {
  const rows = new Map<string, { key: Key; row: Row | null; isNew: boolean; mayBeThere: boolean }>();
  for (const { event, handler, keys } of due) {
    for (const [text, key] of keys) {
      const before = rows.get(text);
      const row = applied(before ? before.row : (stored.get(text) ?? null), handler, event, key);
      const { isNew, mayBeThere } = before ?? { isNew: handler.creates === true, mayBeThere: handler.removes === true };
      rows.set(text, { key, row, isNew, mayBeThere });
    }
  }
  // What was taken away unread may be there.
  const changed = [...rows]
    .filter(([text, { row, mayBeThere }]) => mayBeThere || row !== (stored.get(text) ?? null))
    .map(([, each]) => each);
  return {
    added: changed.flatMap(({ row, isNew }) => (row && isNew ? [row] : [])),
    upserts: changed.flatMap(({ row, isNew }) => (row && !isNew ? [row] : [])),
    deletions: changed.flatMap(({ key, row }) => (row ? [] : [key])),
  };
}

/** The row after an event. @throws ProjectionFault */
export function applied(row: Row | null, handler: EventHandler<Row, DomainEvent>, event: RecordedEvent, key: Key): Row | null {
  try {
    return handler.apply(row, event, key);
  } catch (error) {
    throw new ProjectionFault(event, error);
  }
}
