import { statSync } from 'node:fs';
import { join } from 'node:path';
import { EventStore, type EventStoreOptions } from '../../src/platform/event-sourcing/event-store.js';
import { query } from '../environment/database.js';
import { type BenchService } from '../environment/service-process.js';

/** Bytes by name. */
export type Bytes = Readonly<Record<string, number>>;

/** Number and bytes of events of one type. */
export interface EventBytes {
  readonly count: number;
  readonly bytes: number;
}

/** Tables whose rows are deleted after a time, so that they stop growing. All others keep what is written. */
const PRUNED = 'ops.';
const OPTIONS: EventStoreOptions = { stallTimeoutMs: 60_000 };

/** Bytes of each table of the service with its indexes and its TOAST table, after a vacuum. */
export async function tableBytes(databaseUrl: string): Promise<Bytes> {
  await query(databaseUrl, 'vacuum');
  const rows = await query<{ name: string; bytes: string }>(
    databaseUrl,
    `select n.nspname || '.' || c.relname as name, pg_total_relation_size(c.oid)::text as bytes
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'r' and n.nspname in ('read', 'ops', 'key_store')`,
  );
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

/** Bytes that PostgreSQL has written to its write-ahead log since the database was created. */
export async function walBytes(databaseUrl: string): Promise<number> {
  const [row] = await query<{ bytes: string }>(databaseUrl, "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::text as bytes");
  return Number(row?.bytes);
}

/** Bytes of the embedded event store's data file. Everything is in it only after the store was stopped: before, part is in the journal. */
export function dataFileBytes(dataDir: string): number {
  return statSync(join(dataDir, 'event-store', 'data.mdb')).size;
}

/** Position of the newest event in the log. */
export async function headOf({ stores }: BenchService): Promise<bigint | undefined> {
  const eventStore = new EventStore(stores.eventStoreUrl, OPTIONS);
  try {
    return await eventStore.headPosition();
  } finally {
    await eventStore.close();
  }
}

/** Counts the events after a position, and the bytes of their ids, streams, types, data and metadata as UTF-8. */
export async function eventsAfter({ stores }: BenchService, position: bigint | undefined): Promise<ReadonlyMap<string, EventBytes>> {
  const eventStore = new EventStore(stores.eventStoreUrl, OPTIONS);
  const byType = new Map<string, EventBytes>();
  try {
    for (let after = position; ;) {
      const { events, next } = await eventStore.allPage(after === undefined ? {} : { after });
      for (const { id, stream, type, data, metadata } of events) {
        const { count, bytes } = byType.get(type) ?? { count: 0, bytes: 0 };
        const own = Buffer.byteLength(`${id}${stream}${type}${JSON.stringify(data)}${JSON.stringify(metadata)}`);
        byType.set(type, { count: count + 1, bytes: bytes + own });
      }
      if (next === undefined || next === after) return byType;
      after = next;
    }
  } finally {
    await eventStore.close();
  }
}

/** Returns the growth of each name that has grown, divided by `by`. */
export function growth(before: Bytes, after: Bytes, by: number): Bytes {
  const grown = Object.entries(after).map(([name, bytes]): [string, number] => [name, (bytes - (before[name] ?? 0)) / by]);
  return Object.fromEntries(grown.filter(([, bytes]) => bytes > 0).sort(([, a], [, b]) => b - a));
}

/** Splits the growth of tables into what stays and what is deleted after a time. */
export function keptAndPruned(tables: Bytes): { readonly kept: number; readonly pruned: number } {
  const sum = (pruned: boolean): number =>
    Object.entries(tables)
      .filter(([name]) => name.startsWith(PRUNED) === pruned)
      .reduce((total, [, bytes]) => total + bytes, 0);
  return { kept: sum(false), pruned: sum(true) };
}
