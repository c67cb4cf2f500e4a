import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { EventStore, NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';

/** An event store as a program uses it: appends at an exact revision, answered once they are on disk; a stream read from its beginning. */
export interface Writer {
  /** @param revision of the stream before, -1n for a new one; answers the one after. */
  append(stream: string, data: readonly object[], revision: bigint): Promise<bigint>;
  /** How many events it has. */
  read(stream: string): Promise<number>;
  close(): Promise<void>;
}

const TYPE = 'WalletDebited';
/** As many as there are appends at once at the most, so that none waits for a connection. */
const CONNECTIONS = 64;

/** The embedded event store through the service's own adapter. */
export function ours(url: string): Writer {
  const store = new EventStore(url, { stallTimeoutMs: 60_000 });
  return {
    append: async (stream, data, revision) => {
      const correlation = randomUUID();
      const metadata = { $correlationId: correlation, $causationId: correlation, schema_version: 1 };
      const events = data.map((each) => ({ id: randomUUID(), type: TYPE, data: each as Record<string, unknown>, metadata }));
      const result = await store.append(stream, events, revision);
      if (result.kind !== 'appended') throw new Error(`${stream} is not at ${revision}.`);
      return result.revision;
    },
    read: async (stream) => (await store.readStream(stream)).length,
    close: () => store.close(),
  };
}

export async function emmett(url: string): Promise<Writer> {
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  const store = getPostgreSQLEventStore(url, { connectionOptions: { pool } });
  await store.schema.migrate();
  return {
    append: async (stream, data, revision) => {
      const correlation = randomUUID();
      const metadata = { $correlationId: correlation, $causationId: correlation, schema_version: 1 };
      const events = data.map((each) => ({ type: TYPE, data: each as Record<string, unknown>, metadata, kind: 'Event' as const }));
      // Its versions count from 1.
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
