import { type Pool } from 'pg';
import { type RecordedEvent } from '../../event-sourcing/recorded-event.js';
import { withClient } from '../../database/pool.js';
import { applyEvent, type HandledEvent, handledEvents, splitAfterWipes } from '../applying/fold.js';
import { KeyFilter } from './key-filter.js';
import { type Key, type Projection, type Row, tablesOf, type Wipe } from '../projection.js';
import { type RowChange } from '../derived.js';
import { DerivedTable } from '../derived-table.js';
import { ShadowDerivedTable } from './shadow-derived-table.js';
import { createTable, ReadModelTable } from '../read-model-table.js';
import { type RowMacs } from '../row-macs.js';

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
  /** Wipes that the cached rows show and the table does not; the next write executes them first. */
  private wipes: Wipe[] = [];
  /** Wipes of the latest write. */
  private flushedWipes: Wipe[] = [];
  /** Keys written so far: all other rows need no load, and can be inserted with COPY without a conflict. */
  private readonly writtenKeys = new KeyFilter();
  private writing: Promise<void> = Promise.resolve();
  private readonly derived: readonly ShadowDerivedTable[];

  constructor(
    readonly projection: Projection,
    private readonly schema: string,
    private readonly pool: Pool,
    private readonly maxCachedRows: number,
    macs: RowMacs,
  ) {
    this.table = new ReadModelTable(projection, schema, macs);
    this.derived = projection.derived.map((each) => new ShadowDerivedTable(pool, new DerivedTable(projection, each, schema, macs)));
  }

  async create(): Promise<void> {
    await withClient(this.pool, async (client) => {
      for (const table of tablesOf([this.projection])) await createTable(client, table, this.schema);
    });
  }

  /** Applies the events in order. @throws ProjectionFault after applying all events before the one that failed */
  async apply(events: readonly RecordedEvent[]): Promise<void> {
    const runs = splitAfterWipes(this.projection, events).map((run) => ({ wipe: run.wipe, ...handledEvents(this.projection, run.events) }));
    const rows = await this.rowsOf(runs.flatMap(({ handled }) => handled));
    let next = 0;
    for (const { handled, fault, wipe } of runs) {
      for (const each of handled) {
        for (const change of applyTo(rows[next] ?? [], each)) for (const derived of this.derived) derived.note(change);
        next += 1;
      }
      if (fault) throw fault;
      if (wipe) this.wipe(wipe);
    }
    if (this.current.size > this.maxCachedRows) await this.startWrite();
  }

  /** Writes all changed rows and waits until they are in the table and the derived tables follow. */
  async flush(): Promise<void> {
    await this.startWrite();
    await this.writing;
    for (const derived of this.derived) await derived.catchUp();
  }

  /** Waits for the previous write to end and starts the next one. */
  private async startWrite(): Promise<void> {
    await this.writing;
    this.flushed = this.current;
    this.current = new Map();
    this.flushedWipes = this.wipes;
    this.wipes = [];
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
    if (this.flushedWipes.length + added.length + upserts.length + deletions.length === 0) return;
    await withClient(this.pool, async (client) => {
      for (const wipe of this.flushedWipes) await this.table.wipe(client, wipe);
      await this.table.write(client, { added, upserts, deletions });
    });
  }

  /** Sets the columns to null in the cached rows. The table follows with the next write, which spares a pause for each erasure. */
  private wipe(wipe: Wipe): void {
    for (const rows of [this.flushed, this.current]) for (const cached of rows.values()) wipeRow(cached, wipe);
    for (const derived of this.derived) derived.noteWipe(wipe);
    this.wipes.push(wipe);
  }

  /** Returns the cached rows of the keys of each event, after loading those that only the table holds. */
  private async rowsOf(handled: readonly HandledEvent[]): Promise<readonly (readonly CachedRow[])[]> {
    const toLoad = new Map<string, CachedRow>();
    const rows = handled.map(({ handler, keys }) =>
      keys.map(([text, key]) => {
        const known = this.current.get(text);
        if (known) return known;
        const flushed = this.flushed.get(text);
        const cached = flushed ?? { key, row: null, dirty: false };
        this.current.set(text, cached);
        if (!flushed && !handler.creates && !handler.removes && this.writtenKeys.mayHold(text)) toLoad.set(text, cached);
        return cached;
      }),
    );
    if (toLoad.size > 0) await this.load(toLoad);
    return rows;
  }

  private async load(toLoad: ReadonlyMap<string, CachedRow>): Promise<void> {
    const keys = Array.from(toLoad.values(), ({ key }) => key);
    const stored = await withClient(this.pool, (client) => this.table.load(client, keys));
    for (const [text, cached] of toLoad) {
      cached.row = stored.get(text) ?? null;
      // Rows that were written after a wipe are still cached, so a row that is loaded is older than the wipes.
      for (const wipe of [...this.flushedWipes, ...this.wipes]) wipeRow(cached, wipe);
    }
  }
}

/** Applies an event to its rows, and returns their changes. All of them are computed before any is changed: an event that fails must not be half applied. */
function applyTo(rows: readonly CachedRow[], { event, handler, keys }: HandledEvent): readonly RowChange[] {
  const all = rows.map(({ row }) => row);
  const after = rows.map((_, index) => applyEvent(handler, event, keys[index]?.[1] ?? {}, all, index));
  return rows.map((cached, index) => {
    const [before, row] = [cached.row, after[index] ?? null];
    // A row that was removed without being loaded may be in the table.
    cached.dirty ||= row !== before || handler.removes === true;
    cached.row = row;
    return { before, after: row };
  });
}

function wipeRow(cached: CachedRow, { where, columns }: Wipe): void {
  if (!cached.row) return;
  const row = cached.row as Readonly<Record<string, unknown>>;
  for (const column in where) if (row[column] !== where[column]) return;
  cached.row = { ...row, ...Object.fromEntries(columns.map((column) => [column, null])) };
}
