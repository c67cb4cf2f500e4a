import { type Pool } from 'pg';
import { type RecordedEvent } from '../event-sourcing/recorded-event.js';
import { withClient } from '../database/pool.js';
import { applied, type Due, dueOf, runsOf } from './fold.js';
import { KeyFilter } from './key-filter.js';
import { type Key, type Projection, type Row, type Wipe } from './projection.js';
import { ReadModelTable } from './read-model-table.js';

interface Held {
  readonly key: Key;
  row: Row | null;
  dirty: boolean;
}

/**
 * A read model that nobody reads yet: its rows are folded in memory and written, once for many changes, when they are more than
 * `rowsHeld`. Folding goes on while they are written: until that is done they stay held, so that none is asked for on its way.
 */
export class ShadowTable {
  private readonly table: ReadModelTable;
  private recent = new Map<string, Held>();
  private earlier = new Map<string, Held>();
  /** What was ever written: all else need not be asked for, and cannot be in the way of what is added. */
  private readonly written = new KeyFilter();
  private writing: Promise<void> = Promise.resolve();

  constructor(
    readonly projection: Projection,
    schema: string,
    private readonly pool: Pool,
    private readonly rowsHeld: number,
  ) {
    this.table = new ReadModelTable(projection, schema);
  }

  async create(): Promise<void> {
    await withClient(this.pool, (client) => this.table.create(client));
  }

  /** @throws ProjectionFault with all before that event applied */
  async apply(events: readonly RecordedEvent[]): Promise<void> {
    for (const run of runsOf(this.projection, events)) {
      await this.fold(run.events);
      if (run.wipe) await this.wipe(run.wipe);
    }
    if (this.recent.size > this.rowsHeld) await this.turn();
  }

  /** All is in the table. */
  async flush(): Promise<void> {
    await this.turn();
    await this.writing;
  }

  /** Begins to write what has changed, once the writing before has ended. */
  private async turn(): Promise<void> {
    await this.writing;
    this.earlier = this.recent;
    this.recent = new Map();
    this.writing = this.write();
    // Told to whoever waits for it next.
    this.writing.catch(() => undefined);
  }

  private async write(): Promise<void> {
    const added: Row[] = [];
    const upserts: Row[] = [];
    const deletions: Key[] = [];
    for (const [text, held] of this.earlier) {
      if (!held.dirty) continue;
      held.dirty = false;
      const mayBeThere = this.written.mayHold(text);
      if (held.row) {
        (mayBeThere ? upserts : added).push(held.row);
        this.written.add(text);
      } else if (mayBeThere) deletions.push(held.key);
    }
    if (added.length + upserts.length + deletions.length === 0) return;
    await withClient(this.pool, async (client) => {
      await this.table.write(client, { added, upserts, deletions });
    });
  }

  /** What is held and what is in the table; nothing is on its way then. */
  private async wipe(wipe: Wipe): Promise<void> {
    await this.writing;
    await withClient(this.pool, (client) => this.table.wipe(client, wipe));
    const wiped = Object.fromEntries(wipe.columns.map((column) => [column, null]));
    for (const rows of [this.earlier, this.recent]) {
      for (const held of rows.values()) if (held.row && matches(held.row, wipe)) held.row = { ...held.row, ...wiped };
    }
  }

  private async fold(events: readonly RecordedEvent[]): Promise<void> {
    const { due, fault } = dueOf(this.projection, events);
    await this.load(due);
    for (const { event, handler, keys } of due) {
      // All of an event's rows or none: one that cannot be taken must leave no trace.
      const after = keys.map(([text, key]) => {
        const held = this.held(text) ?? { key, row: null, dirty: false };
        return { text, held, row: applied(held.row, handler, event, key) };
      });
      for (const { text, held, row } of after) {
        held.dirty ||= row !== held.row;
        held.row = row;
        this.recent.set(text, held);
      }
    }
    if (fault) throw fault;
  }

  private async load(due: readonly Due[]): Promise<void> {
    const wanted = new Map<string, Key>();
    for (const { handler, keys } of due) {
      if (handler.creates) continue;
      for (const [text, key] of keys) if (!this.held(text) && this.written.mayHold(text)) wanted.set(text, key);
    }
    if (wanted.size === 0) return;
    const stored = await withClient(this.pool, (client) => this.table.load(client, [...wanted.values()]));
    for (const [text, key] of wanted) this.recent.set(text, { key, row: stored.get(text) ?? null, dirty: false });
  }

  private held(text: string): Held | undefined {
    return this.recent.get(text) ?? this.earlier.get(text);
  }
}

function matches(row: Row, { where }: Wipe): boolean {
  return Object.entries(where).every(([column, value]) => (row as Readonly<Record<string, unknown>>)[column] === value);
}
