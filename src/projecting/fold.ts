import { type RecordedEvent } from '../event-sourcing/recorded-event.js';
import { type Key, type Projection, type Row, type Wipe } from './projection.js';

/** The rows that a batch of events concerns, by the text of their keys, and what is to be written. */
export interface Folded {
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
  if (typeof code === 'string') return ['PostgreSQL refuses it with', code, column ?? constraint].filter((part) => part !== undefined).join(' ');
  if (cause instanceof SyntaxError || !(cause instanceof Error)) return 'it cannot be read';
  return cause.message;
}

export function keyText(key: Key): string {
  return JSON.stringify(Object.values(key));
}

/** Every row that must be read before the events are applied. @throws ProjectionFault */
export function keysOf(projection: Projection, events: readonly RecordedEvent[]): Map<string, Key> {
  const keys = new Map<string, Key>();
  const created = new Set<string>();
  for (const event of events) {
    for (const key of eventKeys(projection, event)) {
      const text = keyText(key);
      if (projection.handler(event.type)?.creates && !keys.has(text)) created.add(text);
      else if (!created.has(text)) keys.set(text, key);
    }
  }
  return keys;
}

/** Events in runs that can be folded, each ended by a wipe or by the end. */
export function runsOf(projection: Projection, events: readonly RecordedEvent[]): { readonly events: readonly RecordedEvent[]; readonly wipe: Wipe | undefined }[] {
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
export function fold(projection: Projection, events: readonly RecordedEvent[], stored: ReadonlyMap<string, Row>): Folded {
  const rows = new Map<string, { key: Key; row: Row | null }>();
  for (const event of events) {
    const handler = projection.handler(event.type);
    if (!handler) continue;
    for (const key of eventKeys(projection, event)) {
      const text = keyText(key);
      const before = rows.has(text) ? (rows.get(text)?.row ?? null) : (stored.get(text) ?? null);
      try {
        rows.set(text, { key, row: handler.apply(before, event, key) });
      } catch (error) {
        throw new ProjectionFault(event, error);
      }
    }
  }
  const changed = [...rows].filter(([text, { row }]) => row !== (stored.get(text) ?? null));
  return {
    upserts: changed.flatMap(([, { row }]) => (row ? [row] : [])),
    deletions: changed.flatMap(([, { key, row }]) => (row ? [] : [key])),
  };
}

export function eventKeys(projection: Projection, event: RecordedEvent): readonly Key[] {
  try {
    return projection.handler(event.type)?.keys(event) ?? [];
  } catch (error) {
    throw new ProjectionFault(event, error);
  }
}
