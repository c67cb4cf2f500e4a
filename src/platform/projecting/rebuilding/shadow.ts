import { randomBytes } from 'node:crypto';
import { type ClientBase, type Pool } from 'pg';
import { type Checkpoint } from '../checkpoints.js';
import { type Codec } from '../../event-sourcing/coding/codec.js';
import { createSessionPool } from '../../database/pool.js';
import { clientLike, type SessionClient } from '../../database/session-client.js';
import { type SessionOptions } from '../../database/session-settings.js';
import { type EventStore } from '../../event-sourcing/event-store.js';
import { type RecordedEvent, type StoredEvent } from '../../event-sourcing/recorded-event.js';
import { type UnusableEvent } from '../../event-sourcing/coding/unusable-event.js';
import { skippedIdOf } from '../../unusable-events/skipped-events.js';
import { withStreams, recordSkips, recordUnusable } from '../../unusable-events/unusable-table.js';
import { replayInBatches } from '../applying/batches.js';
import { ProjectionFault } from '../applying/fold.js';
import { type HiddenStreams } from '../hidden-streams.js';
import { type Projection, tablesOf } from '../projection.js';
import { type RowMacs } from '../row-macs.js';
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
  readonly macs: RowMacs;
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
  /** Approximate number of events per batch, and of rows kept in memory between writes. */
  readonly limits?: { readonly batch: number; readonly rows: number };
}

/** The event at which building a read model stopped, and why. */
export interface ShadowFault {
  /** Position of the last event that was applied. */
  readonly position: bigint;
  readonly eventPosition: bigint;
  readonly reason: string;
}

const PREFIX = 'rebuild_';

/** A row of ops.rebuild: a read model that a rebuild or a verification builds in a schema of its own, and how far it is. */
interface RebuildRow {
  readonly schema: string;
  readonly projection: string;
  readonly purpose: 'rebuild' | 'verify';
  readonly position: string | null;
  /** ISO 8601, UTC. */
  readonly started_at: string;
}
const LIMITS = { batch: 1_000, rows: 2_500 };
/** Maximum number of tables that are read or written at the same time. */
const CONNECTIONS = 6;

/**
 * Read models under construction in a schema of their own, next to the live ones. A connection holds an advisory lock on the schema's
 * name while it is in use; a schema whose lock is free was left by a killed process.
 */
export class ShadowSchema {
  /** Number of events read so far. */
  events = 0;
  /** Position of the last event that the tables show; -1 before the first. */
  position = -1n;
  /** Faults by projection. A faulted table keeps the state before the event that failed. */
  readonly faults = new Map<string, ShadowFault>();

  /** For each event type, the tables that handle it. */
  private readonly tablesByType = new Map<string, ShadowTable[]>();

  private constructor(
    readonly schema: string,
    readonly tables: readonly ShadowTable[],
    private readonly client: SessionClient,
    private readonly pool: Pool,
    private readonly parts: ShadowParts,
    private readonly hidden: HiddenStreams,
  ) {
    for (const table of tables) {
      for (const type of table.projection.types) this.tablesByType.set(type, [...(this.tablesByType.get(type) ?? []), table]);
    }
  }

  static async create(
    parts: ShadowParts,
    projections: readonly Projection[],
    purpose: 'rebuild' | 'verify',
    hidden: HiddenStreams,
  ): Promise<ShadowSchema> {
    const schema = PREFIX + randomBytes(6).toString('hex');
    const client = clientLike(parts.pool, { statements: 'maintenance' });
    await client.connect();
    const pool = asyncCommitPool(parts.pool);
    try {
      await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [schema]);
      await client.query(`create schema ${schema}`);
      await client.query('insert into ops.rebuild (schema, projection, purpose) select $1, name, $3 from unnest($2::text[]) as name', [
        schema,
        projections.map(({ name }) => name),
        purpose,
      ]);
      const tables = projections.map((projection) => new ShadowTable(projection, schema, pool, (parts.limits ?? LIMITS).rows, parts.macs));
      await Promise.all(tables.map((table) => table.create()));
      // The tables of a verification are dropped after it, so a crash may lose them, and neither backups nor replicas need their rows.
      if (purpose === 'verify')
        for (const { name } of tablesOf(projections)) await client.query(`alter table ${schema}.${name} set unlogged`);
      return new ShadowSchema(schema, tables, client, pool, parts, hidden);
    } catch (error) {
      await pool.end();
      await client.end();
      throw error;
    }
  }

  /** Applies the log up to the event at `target`. A projection whose handler throws is recorded in `faults`, and the others continue. */
  async replay(target: bigint): Promise<void> {
    if (this.position >= target) return;
    const { eventStore, codec, signal = new AbortController().signal, limits = LIMITS } = this.parts;
    let applied = Promise.resolve();
    for await (const batch of replayInBatches(eventStore, this.position < 0n ? undefined : this.position, target, limits.batch, signal)) {
      const wanted = batch.filter(({ position }) => position <= target);
      this.hidden.read(wanted);
      // Decode this batch while the previous one waits for the database.
      const { events, unusable } = await codec.decodeUsable(wanted, (type) => this.tablesByType.has(type));
      await applied;
      await this.recordPassedOver(unusable, events);
      applied = this.apply(events, target);
      applied.catch(() => undefined);
    }
    await applied;
    signal.throwIfAborted();
    // The target may lie between two events; everything up to it has been read.
    this.position = target;
    await this.storeProgress();
  }

  async flush(): Promise<void> {
    await Promise.all(this.tables.map((table) => table.flush()));
  }

  async analyze(): Promise<void> {
    const tables = tablesOf(this.tables.map(({ projection }) => projection));
    await Promise.all(tables.map(({ name }) => this.pool.query(`analyze ${this.schema}.${name}`)));
  }

  /** Drops the schema with the tables that are still in it, after a success as well as after a failure. */
  async drop(): Promise<void> {
    try {
      await this.pool.end();
      await removeSchema(this.client, this.schema);
    } finally {
      await this.client.end();
    }
  }

  private async apply(events: readonly RecordedEvent[], target: bigint): Promise<void> {
    await Promise.all([...this.byTable(events)].map(([table, handled]) => this.applyTo(table, handled, events)));
    this.events += events.length;
    this.position = events.at(-1)?.position ?? this.position;
    this.parts.onProgress?.({ events: this.events, position: this.position, target });
  }

  /** A database that was lost holds no unusable events, so a rebuild records them, too. */
  private async recordPassedOver(unusable: readonly UnusableEvent[], events: readonly RecordedEvent[]): Promise<void> {
    const { eventStore, codec, pool } = this.parts;
    if (unusable.length > 0) await recordUnusable(pool, await withStreams(eventStore, codec, unusable));
    const skipped = events.flatMap((event) => skippedIdOf(event as StoredEvent) ?? []);
    if (skipped.length > 0) await recordSkips(pool, skipped);
  }

  private byTable(events: readonly RecordedEvent[]): Map<ShadowTable, RecordedEvent[]> {
    const byTable = new Map<ShadowTable, RecordedEvent[]>();
    for (const event of events) {
      for (const table of this.tablesByType.get(event.type) ?? []) {
        const ofTable = byTable.get(table);
        if (ofTable) ofTable.push(event);
        else byTable.set(table, [event]);
      }
    }
    return byTable;
  }

  /** @param batch all events of the batch; after a fault, the table's position is that of the last one before the faulted event */
  private async applyTo(table: ShadowTable, events: readonly RecordedEvent[], batch: readonly RecordedEvent[]): Promise<void> {
    const { name } = table.projection;
    if (this.faults.has(name)) return;
    try {
      await table.apply(events);
    } catch (error) {
      if (!(error instanceof ProjectionFault)) throw error;
      const { event, message: reason } = error;
      const before = batch.findLast(({ position }) => position < event.position)?.position ?? this.position;
      this.faults.set(name, { position: before, eventPosition: event.position, reason });
    }
  }

  private async storeProgress(): Promise<void> {
    await this.client.query('update ops.rebuild set position = $2 where schema = $1', [this.schema, this.position.toString()]);
  }
}

/**
 * Returns a pool whose commits do not wait for the disk. A crash may lose what it wrote, but not after the swap, whose synchronous
 * commit also flushes everything before it.
 */
function asyncCommitPool({ options }: Pool): Pool {
  // There are more tables than connections, and a write may take long, so that waiting for a connection has no time limit.
  const session: SessionOptions = { statements: 'maintenance', durable: false };
  return createSessionPool({ ...options, connectionTimeoutMillis: 0, session }, CONNECTIONS, () => undefined);
}

/** Drops the schemas that killed rebuilds left, and returns their names. */
export async function removeLeftovers(pool: Pool): Promise<string[]> {
  const client = await pool.connect();
  const removed: string[] = [];
  try {
    const { rows } = await client.query<Pick<RebuildRow, 'schema'>>(
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

export type ReadModelState = Pick<Checkpoint, 'projection' | 'version' | 'position' | 'fault'> & { readonly rebuilding: boolean };

/** Returns the states of read models. A rebuild runs while a process holds the lock of its schema: a killed rebuild leaves a row without a lock. */
export async function readModelStates(pool: Pool, names: readonly string[]): Promise<ReadModelState[]> {
  const { rows } = await pool.query<ReadModelState>(
    `select c.projection, c.version, c.position, c.fault, exists (
       select from ops.rebuild r join pg_locks l on l.locktype = 'advisory' and l.granted and ((l.classid::bigint << 32) | l.objid::bigint) = hashtextextended(r.schema, 0)
         and l.database = (select oid from pg_database where datname = current_database())
       where r.projection = c.projection and r.purpose = 'rebuild'
     ) as rebuilding
     from ops.checkpoint c where c.projection = any($1)`,
    [names],
  );
  return rows;
}

/** Returns whether the tables of read models' states were created: the doctor may run before the first start of the service. */
export async function areStatesCreated(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ created: boolean }>(
    "select to_regclass('ops.rebuild') is not null and exists (select from information_schema.columns where table_schema = 'ops' and table_name = 'checkpoint' and column_name = 'event') as created",
  );
  return rows[0]?.created ?? false;
}
