import { type Pool } from 'pg';
import { type RecordedEvent } from '../event-sourcing/recorded-event.js';
import { withClient } from '../database/pool.js';
import { applyEvent, type HandledEvent, handledEvents, splitAfterWipes } from './fold.js';
import { KeyFilter } from './key-filter.js';
import { type Key, type Projection, type Row, type Wipe } from './projection.js';
import { ReadModelTable } from './read-model-table.js';

interface CachedRow {
  readonly key: Key;
  row: Row | null;
  dirty: boolean;
}

/**
 * A read model under construction, which has no readers. Its rows are folded in memory and written once for many changes, when there are
 * more than `maxCachedRows`. Folding continues during the write: rows being written stay in memory, so that none is loaded before it
 * has been stored.
 */
export class ShadowTable {
  private readonly table: ReadModelTable;
  private current = new Map<string, CachedRow>();
  /** Rows of the latest write, which may still be running. */
  private flushed = new Map<string, CachedRow>();
  /** Keys written so far: all other rows need no load, and can be inserted with COPY without a conflict. */
  private readonly writtenKeys = new KeyFilter();
  private writing: Promise<void> = Promise.resolve();

  constructor(
    readonly projection: Projection,
    schema: string,
    private readonly pool: Pool,
    private readonly maxCachedRows: number,
  ) {
    this.table = new ReadModelTable(projection, schema);
  }

  async create(): Promise<void> {
    await withClient(this.pool, (client) => this.table.create(client));
  }

  /** Applies the events in order. @throws ProjectionFault after applying all events before the one that failed */
  async apply(events: readonly RecordedEvent[]): Promise<void> {
    for (const run of splitAfterWipes(this.projection, events)) {
      await this.fold(run.events);
      if (run.wipe) await this.wipe(run.wipe);
    }
    if (this.current.size > this.maxCachedRows) await this.startWrite();
  }

  /** Writes all changed rows and waits until they are in the table. */
  async flush(): Promise<void> {
    await this.startWrite();
    await this.writing;
  }

  /** Waits for the previous write to end and starts the next one. */
  private async startWrite(): Promise<void> {
    await this.writing;
    this.flushed = this.current;
    this.current = new Map();
    this.writing = this.write();
    // The next call that awaits the write gets its error.
    this.writing.catch(() => undefined);
  }

  private async write(): Promise<void> {
    const added: Row[] = [];
    const upserts: Row[] = [];
    const deletions: Key[] = [];
    for (const [text, cached] of this.flushed) {
      if (!cached.dirty) continue;
      cached.dirty = false;
      const mayExist = this.writtenKeys.mayHold(text);
      if (cached.row) {
        (mayExist ? upserts : added).push(cached.row);
        this.writtenKeys.add(text);
      } else if (mayExist) deletions.push(cached.key);
    }
    if (added.length + upserts.length + deletions.length === 0) return;
    await withClient(this.pool, async (client) => {
      await this.table.write(client, { added, upserts, deletions });
    });
  }

  /** Sets the columns to null in the table and in the cached rows, once no write is running. */
  private async wipe(wipe: Wipe): Promise<void> {
    await this.writing;
    await withClient(this.pool, (client) => this.table.wipe(client, wipe));
    const wiped = Object.fromEntries(wipe.columns.map((column) => [column, null]));
    for (const rows of [this.flushed, this.current]) {
      for (const cached of rows.values()) if (cached.row && matches(cached.row, wipe)) cached.row = { ...cached.row, ...wiped };
    }
  }

  private async fold(events: readonly RecordedEvent[]): Promise<void> {
    const { handled, fault } = handledEvents(this.projection, events);
    await this.load(handled);
    for (const { event, handler, keys } of handled) {
      // Compute all rows of the event before storing any: an event that fails must not be half applied.
      const after = keys.map(([text, key]) => {
        const cached = this.cached(text) ?? { key, row: null, dirty: false };
        return { text, cached, row: applyEvent(cached.row, handler, event, key) };
      });
      for (const { text, cached, row } of after) {
        cached.dirty ||= row !== cached.row;
        cached.row = row;
        this.current.set(text, cached);
      }
    }
    if (fault) throw fault;
  }

  private async load(handled: readonly HandledEvent[]): Promise<void> {
    const toLoad = new Map<string, Key>();
    for (const { handler, keys } of handled) {
      if (handler.creates) continue;
      for (const [text, key] of keys) if (!this.cached(text) && this.writtenKeys.mayHold(text)) toLoad.set(text, key);
    }
    if (toLoad.size === 0) return;
    const stored = await withClient(this.pool, (client) => this.table.load(client, [...toLoad.values()]));
    for (const [text, key] of toLoad) this.current.set(text, { key, row: stored.get(text) ?? null, dirty: false });
  }

  private cached(text: string): CachedRow | undefined {
    return this.current.get(text) ?? this.flushed.get(text);
  }
}

function matches(row: Row, { where }: Wipe): boolean {
  return Object.entries(where).every(([column, value]) => (row as Readonly<Record<string, unknown>>)[column] === value);
}
