import { join } from 'node:path';
import { explainDiskFault } from './disk-faults.js';
import { openDataFolder } from './data-folder.js';
import { startEventStoreInWorker } from './event-store/in-worker.js';
import { startPostgres } from './postgres.js';
import { type Secrets } from './generated-secrets.js';

export interface EmbeddedOptions {
  readonly dataDir: string;
  readonly eventStore: boolean;
  readonly postgres: boolean;
  readonly onStage?: (text: string) => void;
}

export interface EmbeddedRuntime {
  readonly dataDir: string;
  readonly eventStoreUrl: string | undefined;
  readonly databaseUrl: string | undefined;
  readonly secrets: Secrets;
  /** Path of the file with the secrets. */
  readonly secretsPath: string;
  /** Resolves with a sentence for the log when an embedded store dies. */
  readonly failed: Promise<string>;
  /** Lets the command line find the service at this address. */
  announce(address: string): Promise<void>;
  stop(): Promise<void>;
}

interface EmbeddedStore {
  readonly url: string;
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Locks the data folder and starts the embedded stores in parallel. If one fails to start, the other one is stopped.
 * @throws Error that says what to do, such as when another process holds the lock of the data folder.
 */
export async function startEmbedded({ dataDir, eventStore, postgres, onStage }: EmbeddedOptions): Promise<EmbeddedRuntime> {
  const folder = await openDataFolder(dataDir);
  onStage?.(`Starting the embedded stores in ${dataDir} …`);
  const none = Promise.resolve(undefined);
  const results = await Promise.allSettled([eventStore ? startEventStore(dataDir) : none, postgres ? startDatabase(dataDir) : none]);
  const stores = results.flatMap((result) => (result.status === 'fulfilled' && result.value ? [result.value] : []));
  const stop = async (): Promise<void> => {
    await folder.withdraw();
    await Promise.allSettled(stores.map((store) => store.stop()));
    await folder.release();
  };
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) {
    await stop();
    throw explainDiskFault(failure.reason, dataDir);
  }
  const [eventStoreUrl, databaseUrl] = results.map((result) => (result.status === 'fulfilled' ? result.value?.url : undefined));
  return {
    dataDir,
    eventStoreUrl,
    databaseUrl,
    secrets: folder.secrets,
    secretsPath: folder.secretsPath,
    failed: Promise.race(stores.map((store) => store.failed)),
    announce: (address) =>
      folder.announce({ address, ...(eventStoreUrl ? { eventStoreUrl } : {}), ...(databaseUrl ? { databaseUrl } : {}) }),
    stop,
  };
}

async function startEventStore(dataDir: string): Promise<EmbeddedStore> {
  const store = await startEventStoreInWorker({ dataDir: join(dataDir, 'event-store') });
  return {
    url: store.connectionString,
    failed: store.exited.then(
      (code) => `The embedded event store ended (${code}).`,
      (error: unknown) => `The embedded event store ended: ${(error as Error).message}.`,
    ),
    stop: () => store.close(),
  };
}

async function startDatabase(dataDir: string): Promise<EmbeddedStore> {
  const server = await startPostgres({ dataDir });
  return {
    url: server.connectionString,
    failed: server.exited.then((code) => `The embedded PostgreSQL ended (${code}): see postgres.log in ${dataDir}.`),
    stop: () => server.stop(),
  };
}
