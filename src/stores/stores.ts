import { shareToken } from '../http/authenticating/admin-tokens.js';
import { ignorePostgresVariables } from './client-variables.js';
import { type Settings } from '../settings/declaration.js';
import { type Role } from '../settings/types.js';

/** The URLs of both stores and the secrets that belong to them. */
export interface StoreAddresses {
  readonly eventStoreUrl: string;
  readonly databaseUrl: string;
  readonly masterKey: string;
  /** File of the generated master keys, if they were generated. `rupa keys rotate` may add a key to it while the service runs. */
  readonly masterKeyFile?: string | undefined;
  readonly adminToken: string;
  readonly auditorToken: string;
}

export interface Stores extends StoreAddresses {
  /** Folder of the embedded stores and generated secrets; undefined if the settings name both stores and all secrets. */
  readonly dataDir: string | undefined;
  /** Resolves with the reason, as a sentence, when an embedded store fails. */
  readonly failed: Promise<string>;
  /** Publishes the address of the running service to the command line. */
  announce(address: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Opens the stores that the settings name, and starts an embedded store for each that they do not name.
 * @throws Error that says what to do, for example when another process uses the data folder
 */
export async function openStores(settings: Settings, onStage: (text: string) => void): Promise<Stores> {
  const { eventStoreUrl, databaseUrl, masterKey, adminToken, auditorToken } = settings;
  if (eventStoreUrl && databaseUrl && masterKey && adminToken && auditorToken) {
    return { ...given({ eventStoreUrl, databaseUrl, masterKey, adminToken, auditorToken }), dataDir: undefined };
  }
  if (!databaseUrl) ignorePostgresVariables(process.env);
  // Loaded only here, because production installs do not have the packages of the embedded stores.
  const { resolveDataDir } = await import('../../embedded/data-folder.js');
  const { startEmbedded } = await import('../../embedded/runtime.js');
  const dataDir = resolveDataDir(settings.dataDir, process.cwd());
  const embedded = await startEmbedded({ dataDir, eventStore: !eventStoreUrl, postgres: !databaseUrl, onStage });
  return {
    ...addresses(settings, embedded),
    dataDir,
    failed: embedded.failed,
    announce: (address) => embedded.announce(address),
    stop: () => embedded.stop(),
  };
}

/** Returns the part of the stores that can be posted to another thread. */
export function addressesOf({
  eventStoreUrl,
  databaseUrl,
  masterKey,
  masterKeyFile,
  adminToken,
  auditorToken,
}: StoreAddresses): StoreAddresses {
  return { eventStoreUrl, databaseUrl, masterKey, masterKeyFile, adminToken, auditorToken };
}

/** Returns the stores of the service that runs on the same data folder, or undefined if none runs. */
export async function findRunningStores(settings: Settings): Promise<StoreAddresses | undefined> {
  if (!settings.databaseUrl) ignorePostgresVariables(process.env);
  const { resolveDataDir, findRunning } = await import('../../embedded/data-folder.js');
  const running = await findRunning(resolveDataDir(settings.dataDir, process.cwd()));
  return running && addresses(settings, running);
}

/** A command that creates no stores needs embedded stores that do not exist. */
export class StoresMissing extends Error {
  override name = 'StoresMissing';
}

type Store = 'eventStore' | 'postgres';
const STORE_NAMES: Readonly<Record<Store, string>> = { eventStore: 'event store', postgres: 'PostgreSQL cluster' };

/**
 * Returns the data folder. Creates nothing.
 * @param needed the stores that the command opens
 * @throws StoresMissing if the settings name no address of a needed store and the data folder does not hold it either (admin, "The command
 * line")
 */
export async function refuseMissingStores(settings: Settings, needed: readonly Store[] = ['eventStore', 'postgres']): Promise<string> {
  const { resolveDataDir, storesIn } = await import('../../embedded/data-folder.js');
  const dataDir = resolveDataDir(settings.dataDir, process.cwd());
  const given: Readonly<Record<Store, string | undefined>> = { eventStore: settings.eventStoreUrl, postgres: settings.databaseUrl };
  const found = storesIn(dataDir);
  const missing = needed.filter((store) => given[store] === undefined && !found[store]);
  if (missing.length === 0) return dataDir;
  const names = missing.map((store) => STORE_NAMES[store]).join(' and no ');
  throw new StoresMissing(
    `${dataDir} holds no ${names}. Set DATA_DIR to the data folder of the service, or start the service once: it creates its stores there.`,
  );
}

interface Embedded {
  readonly eventStoreUrl?: string | undefined;
  readonly databaseUrl?: string | undefined;
  readonly secretsPath: string;
  readonly secrets: { readonly masterKey: string; readonly adminToken: string; readonly auditorToken: string };
}

/** @throws Error if a token that a setting provides is also one of the other role in the file; the settings and the file were checked alone */
function addresses(settings: Settings, { eventStoreUrl, databaseUrl, secrets, secretsPath }: Embedded): StoreAddresses {
  const [adminToken, auditorToken] = [settings.adminToken ?? secrets.adminToken, settings.auditorToken ?? secrets.auditorToken];
  if (shareToken(adminToken, auditorToken)) {
    throw new Error(
      `ADMIN_TOKEN and AUDITOR_TOKEN contain the same token; the one that is not set comes from ${secretsPath}. Set it to a different token.`,
    );
  }
  return {
    eventStoreUrl: settings.eventStoreUrl ?? eventStoreUrl ?? '',
    databaseUrl: settings.databaseUrl ?? databaseUrl ?? '',
    masterKey: settings.masterKey ?? secrets.masterKey,
    masterKeyFile: settings.masterKey === undefined ? secretsPath : undefined,
    adminToken,
    auditorToken,
  };
}

function given(stores: StoreAddresses): Omit<Stores, 'dataDir'> {
  return { ...stores, failed: new Promise(() => undefined), announce: () => Promise.resolve(), stop: () => Promise.resolve() };
}

/** Connections to PostgreSQL that serve calls: two pools, and single connections that listen or hold a lock. */
const SERVING = 26;
/** Connections of the background thread: a pool, and single connections that listen or hold a lock. */
const BACKGROUND = 12;

/** Returns how many connections to PostgreSQL a process with these roles opens at most (docs/operations.md, "Add processes"). */
export function connectionsOf(roles: readonly Role[]): number {
  const serves = roles.includes('api') || roles.includes('console');
  const works = roles.includes('projector') || roles.includes('webhooks');
  return (serves ? SERVING : 0) + (works ? BACKGROUND : 0);
}
