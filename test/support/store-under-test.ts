import { EventStoreDBClient } from '@eventstore/db-client';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEventStoreServer } from '../../embedded/event-store/serving/server.js';
import { inTime } from './in-time.js';

/** An event store that the tests of test/store run on. */
export interface StoreUnderTest {
  readonly connectionString: string;
  stop(): Promise<void>;
}

/** Returns the event store at STORE_URL, or starts an embedded one if there is none. The tests hold on both. */
export async function storeUnderTest(): Promise<StoreUnderTest> {
  const url = process.env.STORE_URL;
  if (url) return { connectionString: url, stop: () => Promise.resolve() };
  const dataDir = await mkdtemp(join(tmpdir(), 'event-store-'));
  const server = await startEventStoreServer({ dataDir });
  return {
    connectionString: server.connectionString,
    stop: async () => {
      await server.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export interface StoreClient extends StoreUnderTest {
  /** The client library's client of the store under test. */
  readonly client: EventStoreDBClient;
}

/** Returns a client of {@link storeUnderTest}. */
export async function storeClient(): Promise<StoreClient> {
  const store = await storeUnderTest();
  const client = connect(store);
  return {
    ...store,
    client,
    stop: async () => {
      await client.dispose();
      await store.stop();
    },
  };
}

/** Connects a client. The client gives its batch call no deadline, so an append without a response fails here. */
export function connect({ connectionString }: StoreUnderTest): EventStoreDBClient {
  // The client's default of 10 s for a call is too short for thousands of events on a busy machine.
  const client = EventStoreDBClient.connectionString(withOption(connectionString, 'defaultDeadline=120000'));
  const append = client.appendToStream.bind(client);
  client.appendToStream = (stream, ...rest) => inTime(`the response to an append to ${stream}`, append(stream, ...rest));
  return client;
}

/** Returns a connection string with another option, such as `keepAliveInterval=-1`. */
export function withOption(connectionString: string, option: string): string {
  return `${connectionString}${connectionString.includes('?') ? '&' : '?'}${option}`;
}

/** Options with which the client uses the plain call instead of the batch call. */
export const PLAIN = { credentials: { username: 'admin', password: 'changeit' } };

/** Returns the name of a new stream, in a category that the ledger has none of: what the tests append must never look like its events. */
export const newStream = (): string => `test_store-${randomUUID()}`;
