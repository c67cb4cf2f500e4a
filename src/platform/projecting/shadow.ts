import { randomBytes } from 'node:crypto';
import pg, { type ClientBase, type Pool } from 'pg';
import { type Codec } from '../event-sourcing/codec.js';
import { type EventStore } from '../event-sourcing/event-store.js';
import { type RecordedEvent } from '../event-sourcing/recorded-event.js';
import { replayInBatches } from './batches.js';
import { ProjectionFault } from './fold.js';
import { type Projection } from './projection.js';
import { ShadowTable } from './shadow-table.js';

export interface Progress {
  /** Events read so far. */
  readonly events: number;
  readonly position: bigint;
  readonly target: bigint;
}

export interface ShadowParts {
  readonly pool: Pool;
  readonly eventStore: EventStore;
  readonly codec: Codec;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
  /** Events applied at once, at most, and rows held in memory between writes, about. */
  readonly limits?: { readonly batch: number; readonly rows: number };
}

/** Why a read model could not be built further. */
export interface ShadowFault {
  /** Of the last event that it shows. */
  readonly position: bigint;
  readonly eventPosition: bigint;
  readonly reason: string;
}

const PREFIX = 'rebuild_';
const LIMITS = { batch: 2_000, rows: 5_000 };
/** Tables that are written or asked at the same time. */
const CONNECTIONS = 6;

/**
 * Read models built anew beside the live ones, in a schema of their own. The schema's name is locked by a connection for as long as
 * somebody works on it: one that is not is what a killed process left.
 */
export class Shadow {
  /** Read so far. */
  events = 0;
  /** Of the last event that its tables show; -1 before the first. */
  position = -1n;
  /** By projection: its table stays as it was before the event that it could not take. */
  readonly faults = new Map<string, ShadowFault>();

  /** By type of event, those that it concerns. */
  private readonly concerned = new Map<string, ShadowTable[]>();

  private constructor(
    readonly schema: string,
    readonly tables: readonly ShadowTable[],
    private readonly client: pg.Client,
    private readonly pool: Pool,
    private readonly parts: ShadowParts,
  ) {
    for (const table of tables) {
      for (const type of table.projection.types) this.concerned.set(type, [...(this.concerned.get(type) ?? []), table]);
    }
  }

  static async create(parts: ShadowParts, projections: readonly Projection[], purpose: 'rebuild' | 'verify'): Promise<Shadow> {
    const schema = PREFIX + randomBytes(6).toString('hex');
    const client = new pg.Client(parts.pool.options);
    client.on('error', () => undefined);
    await client.connect();
    const pool = quickPool(parts.pool);
    try {
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [schema]);
      await client.query(`create schema ${schema}`);
      await client.query('insert into ops.rebuild (schema, projection, purpose) select $1, name, $3 from unnest($2::text[]) as name', [
        schema,
        projections.map(({ name }) => name),
        purpose,
      ]);
      const tables = projections.map((projection) => new ShadowTable(projection, schema, pool, (parts.limits ?? LIMITS).rows));
      await Promise.all(tables.map((table) => table.create()));
      return new Shadow(schema, tables, client, pool, parts);
    } catch (error) {
      await pool.end();
      await client.end();
      throw error;
    }
  }

  /** Applies the log up to the event at `target`; a projection whose own functions fail stops there, and the rest go on. */
  async replay(target: bigint): Promise<void> {
    if (this.position >= target) return;
    const { eventStore, codec, signal = new AbortController().signal, limits = LIMITS } = this.parts;
    let applied = Promise.resolve();
    for await (const batch of replayInBatches(eventStore, this.position < 0n ? undefined : this.position, target, limits.batch, signal)) {
      const wanted = batch.filter(({ position }) => position <= target);
      // One batch is decoded while the one before it waits for the database.
      const events = await codec.decode(wanted, (type) => this.concerned.has(type));
      await applied;
      applied = this.apply(events, target);
      applied.catch(() => undefined);
    }
    await applied;
    signal.throwIfAborted();
    // One that is no event's: everything before it has been read.
    this.position = target;
    await this.note();
  }

  async flush(): Promise<void> {
    await Promise.all(this.tables.map((table) => table.flush()));
  }

  async analyze(): Promise<void> {
    await Promise.all(this.tables.map(({ projection }) => this.pool.query(`analyze ${this.schema}.${projection.name}`)));
  }

  /** Whatever became of it: its schema, with what is still in it, goes. */
  async drop(): Promise<void> {
    try {
      await this.pool.end();
      await removeSchema(this.client, this.schema);
    } finally {
      await this.client.end();
    }
  }

  private async apply(events: readonly RecordedEvent[], target: bigint): Promise<void> {
    await Promise.all([...this.dealt(events)].map(([table, concerning]) => this.applyTo(table, concerning, events)));
    this.events += events.length;
    this.position = events.at(-1)?.position ?? this.position;
    this.parts.onProgress?.({ events: this.events, position: this.position, target });
  }

  private dealt(events: readonly RecordedEvent[]): Map<ShadowTable, RecordedEvent[]> {
    const dealt = new Map<ShadowTable, RecordedEvent[]>();
    for (const event of events) {
      for (const table of this.concerned.get(event.type) ?? []) {
        const its = dealt.get(table);
        if (its) its.push(event);
        else dealt.set(table, [event]);
      }
    }
    return dealt;
  }

  /** @param all of the batch: the last of them before one that cannot be taken is what the table shows */
  private async applyTo(table: ShadowTable, events: readonly RecordedEvent[], all: readonly RecordedEvent[]): Promise<void> {
    const { name } = table.projection;
    if (this.faults.has(name)) return;
    try {
      await table.apply(events);
    } catch (error) {
      if (!(error instanceof ProjectionFault)) throw error;
      const { event, message: reason } = error;
      const before = all.findLast(({ position }) => position < event.position)?.position ?? this.position;
      this.faults.set(name, { position: before, eventPosition: event.position, reason });
    }
  }

  private async note(): Promise<void> {
    await this.client.query('update ops.rebuild set position = $2 where schema = $1', [this.schema, this.position.toString()]);
  }
}

/** What it writes is lost with the machine as long as nobody has put it in its place with a commit that waits for the disk. */
function quickPool({ options }: Pool): Pool {
  // Tables wait for one another's connections, however long one of them writes.
  const pool = new pg.Pool({ ...options, max: CONNECTIONS, connectionTimeoutMillis: 0, options: '-c synchronous_commit=off' });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  return pool;
}

/** Removes what killed rebuilds left; answers the names. */
export async function removeLeftovers(pool: Pool): Promise<string[]> {
  const client = await pool.connect();
  const removed: string[] = [];
  try {
    const { rows } = await client.query<{ schema: string }>(
      `select nspname as schema from pg_namespace where starts_with(nspname, '${PREFIX}') union select schema from ops.rebuild`,
    );
    for (const { schema } of rows) {
      const { rows: locks } = await client.query<{ free: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as free', [
        schema,
      ]);
      if (!locks[0]?.free) continue;
      await removeSchema(client, schema);
      await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [schema]);
      removed.push(schema);
    }
    return removed;
  } finally {
    client.release();
  }
}

async function removeSchema(client: ClientBase, schema: string): Promise<void> {
  await client.query(`drop schema if exists ${schema} cascade`);
  await client.query('delete from ops.rebuild where schema = $1', [schema]);
}
