import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { EventStore, NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';

/** An event store as programs use it: durable appends at an exact revision, and reads of a whole stream. */
export interface Writer {
  /** Appends events. @param revision revision of the stream before, -1n for a new stream. @returns the revision after. */
  append(stream: string, data: readonly object[], revision: bigint): Promise<bigint>;
  /** Reads a stream and returns the number of its events. */
  read(stream: string): Promise<number>;
  close(): Promise<void>;
}

const TYPE = 'WalletDebited';
/** Size of the pool: one connection for each concurrent append, so that none waits for a connection. */
const CONNECTIONS = 64;

/** Creates a writer for the embedded event store with the service's own adapter. */
export function ours(url: string): Writer {
  const store = new EventStore(url, { stallTimeoutMs: 60_000 });
  return {
    append: async (stream, data, revision) => {
      const correlation = randomUUID();
      const metadata = { $correlationId: correlation, $causationId: correlation, schema_version: 1 };
      const events = data.map((each) => ({ id: randomUUID(), type: TYPE, data: each as Record<string, unknown>, metadata }));
      const result = await store.append(stream, events, revision);
      if (result.kind !== 'appended') throw new Error(`${stream} is not at revision ${revision}: another process writes to it.`);
      return result.revision;
    },
    read: async (stream) => (await store.readStream(stream)).length,
    close: () => store.close(),
  };
}

/** Creates a writer for Emmett's event store on PostgreSQL. */
export async function emmett(url: string): Promise<Writer> {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  const store = getPostgreSQLEventStore(url, { connectionOptions: { pool } });
  await store.schema.migrate();
  return {
    append: async (stream, data, revision) => {
      const correlation = randomUUID();
      const metadata = { $correlationId: correlation, $causationId: correlation, schema_version: 1 };
      const events = data.map((each) => ({ type: TYPE, data: each as Record<string, unknown>, metadata, kind: 'Event' as const }));
      // Emmett counts versions from 1.
      const expected = revision === NO_EVENTS ? 'STREAM_DOES_NOT_EXIST' : revision + 1n;
      return (await store.appendToStream(stream, events, { expectedStreamVersion: expected })).nextExpectedStreamVersion - 1n;
    },
    read: async (stream) => (await store.readStream(stream)).events.length,
    close: async () => {
      await store.close();
      await pool.end();
    },
  };
}
