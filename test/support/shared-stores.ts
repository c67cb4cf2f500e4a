import { createTestDatabase } from './database.js';
import { startEventStoreProcess, type EventStoreProcess } from './event-store-process.js';
import { startService, type TestService } from './service.js';

/** One event store and one database, and the processes of the service that share them. */
export interface SharedStores {
  readonly store: EventStoreProcess;
  readonly databaseUrl: string;
  /** Settings that every process is started with. */
  readonly env: Record<string, string>;
  /** Starts another process with these roles. @param options `repeats`: as of {@link startService} */
  start(roles: string, env?: Record<string, string>, options?: { readonly repeats: boolean }): Promise<TestService>;
  /** Stops the processes, then the stores. */
  close(): Promise<void>;
}

/** The secrets that a service on external stores requires. */
export const SECRETS = {
  MASTER_KEY: `k1:${Buffer.alloc(32, 3).toString('base64')}`,
  ADMIN_TOKEN: 'an-administrator-of-the-tests',
  AUDITOR_TOKEN: 'an-auditor-of-the-tests-too',
} as const;

/** Returns the settings of a service on these stores. */
export function externalStores(eventStoreUrl: string, databaseUrl: string): Record<string, string> {
  return {
    EVENT_STORE_URL: eventStoreUrl,
    DATABASE_URL: databaseUrl,
    ...SECRETS,
    // All stores are external, so the service writes nothing to this folder.
    DATA_DIR: 'unused',
  };
}

export async function startSharedStores(): Promise<SharedStores> {
  const [store, database] = await Promise.all([startEventStoreProcess(), createTestDatabase()]);
  const env = externalStores(store.connectionString, database.url);
  const services: TestService[] = [];
  return {
    store,
    databaseUrl: database.url,
    env,
    start: async (roles, more = {}, options = { repeats: false }) => {
      const service = await startService({ ...env, ROLES: roles, ...more }, options);
      services.push(service);
      return service;
    },
    close: async () => {
      store.resume();
      await Promise.all(services.map((service) => service.stop()));
      await store.close();
      await database.drop();
    },
  };
}

/** Runs a test on stores of its own and closes them after it, so that it may wait while another test does (`it.concurrent`). */
export async function onOwnStores(test: (stores: SharedStores) => Promise<void>): Promise<void> {
  const stores = await startSharedStores();
  try {
    await test(stores);
  } finally {
    await stores.close();
  }
}
