import { type ClientBase } from 'pg';
import { type RecordedEvent } from '../event-sourcing/recorded-event.js';
import { eventKeys, keysOf, keyText, ProjectionFault, runsOf } from './fold.js';
import { concerns, type Key, type Projection, type Row } from './projection.js';
import { ReadModelTable } from './read-model-table.js';

interface Held {
  readonly key: Key;
  row: Row | null;
  dirty: boolean;
  /** False: it is not in the table, so that its end need not be written. */
  stored: boolean;
}

/** Rows held between writes, at most about this many: an often changed row is written once for all its changes. */
const ROWS_HELD = 5_000;

/** A read model that nobody reads yet: its rows are folded in memory and written when there are many, in no transaction. */
export class ShadowTable {
  private readonly table: ReadModelTable;
  private readonly held = new Map<string, Held>();

  constructor(
    readonly projection: Projection,
    schema: string,
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
    if (this.held.size <= ROWS_HELD) return;
    await this.flush(client);
    this.held.clear();
  }

  async flush(client: ClientBase): Promise<void> {
    const dirty = [...this.held.values()].filter((held) => held.dirty);
    const upserts = dirty.flatMap(({ row }) => (row ? [row] : []));
    const deletions = dirty.flatMap(({ key, row, stored }) => (!row && stored ? [key] : []));
    await this.table.write(client, { upserts, deletions });
    for (const held of dirty) {
      held.dirty = false;
      held.stored = held.row !== null;
    }
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
      for (const key of eventKeys(this.projection, event)) {
        const text = keyText(key);
        const held = this.held.get(text) ?? { key, row: null, dirty: false, stored: false };
        try {
          const row = handler.apply(held.row, event, key);
          held.dirty ||= row !== held.row;
          held.row = row;
        } catch (error) {
          throw new ProjectionFault(event, error);
        }
        this.held.set(text, held);
      }
    }
  }
}
