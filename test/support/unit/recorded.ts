import { type DomainEvent } from '../../../src/platform/event-sourcing/decider.js';
import { type RecordedEvent } from '../../../src/platform/event-sourcing/recorded-event.js';
import { handledEvents, fold, keyText, keysToLoad } from '../../../src/platform/projecting/applying/fold.js';
import { type Projection, type Row } from '../../../src/platform/projecting/projection.js';

/** Returns the events as the log would return them: one stream, positions a hundred apart. */
export function recorded(events: readonly DomainEvent[], from = 0): RecordedEvent[] {
  return events.map((event, index) => ({
    ...event,
    data: event.data as Readonly<Record<string, unknown>>,
    id: `00000000-0000-4000-8000-${(from + index).toString().padStart(12, '0')}`,
    stream: 'test-1',
    revision: BigInt(from + index),
    position: BigInt((from + index + 1) * 100),
    metadata: { $correlationId: 'c', $causationId: 'c', schema_version: 1, hash: `hash-${from + index}`, prev_hash: 'p' },
  }));
}

/** Returns the rows of a projection after the events, which are applied in batches of `batchSize`. */
export function project(projection: Projection, events: readonly RecordedEvent[], batchSize = events.length || 1): Row[] {
  const rows = new Map<string, Row>();
  for (let start = 0; start < events.length; start += batchSize) {
    const batch = events.slice(start, start + batchSize);
    const { handled, fault } = handledEvents(projection, batch);
    if (fault) throw fault;
    const toLoad = keysToLoad(handled);
    const { added, upserts, deletions } = fold(handled, new Map([...rows].filter(([text]) => toLoad.has(text))));
    for (const row of [...added, ...upserts]) rows.set(primaryKeyText(projection, row), row);
    for (const key of deletions) rows.delete(keyText(key));
  }
  return Array.from(rows.values(), withoutRevision);
}

/** The projector adds the revision to each row that has a MAC, and no projection looks at it. */
function withoutRevision(row: Row): Row {
  const { event_revision: _revision, ...content } = row as { readonly event_revision?: string };
  return content;
}

function primaryKeyText(projection: Projection, row: Row): string {
  const properties = projection.table.meta.properties as Record<string, { primary?: boolean }>;
  const names = Object.keys(properties).filter((name) => properties[name]?.primary);
  return keyText(Object.fromEntries(names.map((name) => [name, (row as Record<string, string | number>)[name] ?? ''])));
}
