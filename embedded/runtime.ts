import { join } from 'node:path';
import { openDataFolder, type Secrets } from './data-folder.js';
import { startEventStoreInWorker } from './event-store/in-worker.js';
import { startPostgres } from './postgres.js';

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly eventStore: boolean;
  readonly postgres: boolean;
  readonly onStage: (text: string) => void;
}

export interface EmbeddedRuntime {
  readonly eventStoreUrl: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly secrets: Secrets;
  /** Resolves with a sentence when an embedded part dies. */
  readonly failed: Promise<string>;
  announce(address: string): Promise<void>;
  stop(): Promise<void>;
}

interface Part {
  readonly url: string;
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/** Starts the parts side by side over a locked data folder; if one fails, none is left running. */
export async function startEmbedded({ dataDir, eventStore, postgres, onStage }: EmbeddedOptions): Promise<EmbeddedRuntime> {
  const folder = await openDataFolder(dataDir);
  onStage(`Starting the embedded stores in ${dataDir} …`);
  const starting = [eventStore ? startEventStorePart(dataDir) : undefined, postgres ? startPostgresPart(dataDir, folder.secrets) : undefined];
  const results = await Promise.allSettled(starting);
  const parts = results.map((result) => (result.status === 'fulfilled' ? result.value : undefined));
  const stop = async (): Promise<void> => {
    await Promise.allSettled(parts.map((part) => part?.stop()));
    await folder.release();
  };
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) {
    await stop();
    throw failure.reason;
  }
  const [eventStoreUrl, databaseUrl] = parts.map((part) => part?.url);
  return {
    eventStoreUrl,
    databaseUrl,
    secrets: folder.secrets,
    failed: Promise.race(parts.flatMap((part) => part?.failed ?? [])),
    announce: (address) => folder.announce({ address, ...(eventStoreUrl ? { eventStoreUrl } : {}), ...(databaseUrl ? { databaseUrl } : {}) }),
    stop,
  };
}

async function startEventStorePart(dataDir: string): Promise<Part> {
  const store = await startEventStoreInWorker({ dataDir: join(dataDir, 'event-store') });
  return {
    url: store.connectionString,
    failed: store.exited.then((code) => `The embedded event store ended (${code}).`),
    stop: () => store.close(),
  };
}

async function startPostgresPart(dataDir: string, { postgresPassword: password }: Secrets): Promise<Part> {
  const server = await startPostgres({ dataDir, password });
  return {
    url: server.connectionString,
    failed: server.exited.then((code) => `The embedded PostgreSQL ended (${code}): see postgres.log in ${dataDir}.`),
    stop: () => server.stop(),
  };
}
