import { type ClientBase } from 'pg';
import { type DomainEvent } from '../event-sourcing/decider.js';
import { type RecordedEvent } from '../event-sourcing/recorded-event.js';
import { eventKeys, keysOf, keyText, ProjectionFault, runsOf } from './fold.js';
import { concerns, type EventHandler, type Key, type Projection, type Row } from './projection.js';
import { ReadModelTable } from './read-model-table.js';

interface Held {
  readonly key: Key;
  readonly row: Row | null;
  readonly dirty: boolean;
  /** False: it is not in the table, so that its end need not be written. */
  readonly stored: boolean;
}

/** A read model that nobody reads yet: its rows are folded in memory, and written, once for many changes, when they are more than `rowsHeld`. */
export class ShadowTable {
  private readonly table: ReadModelTable;
  private readonly held = new Map<string, Held>();

  constructor(
    readonly projection: Projection,
    schema: string,
    private readonly rowsHeld: number,
  ) {
    this.table = new ReadModelTable(projection, schema);
  }

  async create(client: ClientBase): Promise<void> {
    await this.table.create(client);
  }

  /** @throws ProjectionFault */
  async apply(client: ClientBase, events: readonly RecordedEvent[]): Promise<void> {
    const relevant = events.filter((event) => concerns(this.projection, event));
    for (const run of runsOf(this.projection, relevant)) {
      await this.load(client, run.events);
      this.fold(run.events);
      if (run.wipe) {
        await this.flush(client);
        this.held.clear();
        await this.table.wipe(client, run.wipe);
      }
    }
    if (this.held.size <= this.rowsHeld) return;
    await this.flush(client);
    this.held.clear();
  }

  async flush(client: ClientBase): Promise<void> {
    const dirty = [...this.held].filter(([, held]) => held.dirty);
    const upserts = dirty.flatMap(([, { row }]) => (row ? [row] : []));
    const deletions = dirty.flatMap(([, { key, row, stored }]) => (!row && stored ? [key] : []));
    await this.table.write(client, { upserts, deletions });
    for (const [text, held] of dirty) this.held.set(text, { ...held, dirty: false, stored: held.row !== null });
  }

  private async load(client: ClientBase, events: readonly RecordedEvent[]): Promise<void> {
    const wanted = [...keysOf(this.projection, events)].filter(([text]) => !this.held.has(text));
    const stored = await this.table.load(client, wanted.map(([, key]) => key));
    for (const [text, key] of wanted) this.held.set(text, { key, row: stored.get(text) ?? null, dirty: false, stored: stored.has(text) });
  }

  private fold(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      const handler = this.projection.handler(event.type);
      if (!handler) continue;
      // All of an event's rows or none: one that cannot be taken must leave no trace.
      const after = eventKeys(this.projection, event).map((key): [string, Held] => {
        const text = keyText(key);
        const held = this.held.get(text) ?? { key, row: null, dirty: false, stored: false };
        return [text, this.applied(held, handler, event)];
      });
      for (const [text, held] of after) this.held.set(text, held);
    }
  }

  /** @throws ProjectionFault */
  private applied(held: Held, handler: EventHandler<Row, DomainEvent>, event: RecordedEvent): Held {
    try {
      const row = handler.apply(held.row, event, held.key);
      return row === held.row ? held : { ...held, row, dirty: true };
    } catch (error) {
      throw new ProjectionFault(event, error);
    }
  }
}
