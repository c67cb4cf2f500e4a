import { type Settings } from './settings/declaration.js';

/** Where the stores are, and the secrets that belong to them. */
export interface StoreAddresses {
  readonly eventStoreUrl: string;
  readonly databaseUrl: string;
  readonly masterKey: string;
  /** Where the master keys lie if they were generated; it may get a new one while the service runs. */
  readonly masterKeyFile?: string | undefined;
  readonly adminToken: string;
  readonly auditorToken: string;
}

export interface Stores extends StoreAddresses {
  /** Folder of the embedded stores and generated secrets; undefined where everything is given. */
  readonly dataDir: string | undefined;
  /** Resolves with a sentence when an embedded part dies. */
  readonly failed: Promise<string>;
  /** Tells the command line where a running service is. */
  announce(address: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * The stores that the settings name, with an embedded one in place of each that they do not.
 * @throws Error that says what to do, such as when another process holds the data folder.
 */
export async function openStores(settings: Settings, onStage: (text: string) => void): Promise<Stores> {
  const { eventStoreUrl, databaseUrl, masterKey, adminToken, auditorToken } = settings;
  if (eventStoreUrl && databaseUrl && masterKey && adminToken && auditorToken) {
    return { ...given({ eventStoreUrl, databaseUrl, masterKey, adminToken, auditorToken }), dataDir: undefined };
  }
  // Loaded only here: production installs go without the embedded stores' packages.
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

/** The part of the stores that another thread can be handed. */
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

/** The stores of the service that runs on the same data folder, if one does. */
export async function findRunningStores(settings: Settings): Promise<StoreAddresses | undefined> {
  const { resolveDataDir, findRunning } = await import('../../embedded/data-folder.js');
  const running = await findRunning(resolveDataDir(settings.dataDir, process.cwd()));
  return running && addresses(settings, running);
}

interface Embedded {
  readonly eventStoreUrl?: string | undefined;
  readonly databaseUrl?: string | undefined;
  readonly secretsPath: string;
  readonly secrets: { readonly masterKey: string; readonly adminToken: string; readonly auditorToken: string };
}

function addresses(settings: Settings, { eventStoreUrl, databaseUrl, secrets, secretsPath }: Embedded): StoreAddresses {
  return {
    eventStoreUrl: settings.eventStoreUrl ?? eventStoreUrl ?? '',
    databaseUrl: settings.databaseUrl ?? databaseUrl ?? '',
    masterKey: settings.masterKey ?? secrets.masterKey,
    masterKeyFile: settings.masterKey === undefined ? secretsPath : undefined,
    adminToken: settings.adminToken ?? secrets.adminToken,
    auditorToken: settings.auditorToken ?? secrets.auditorToken,
  };
}

function given(stores: StoreAddresses): Omit<Stores, 'dataDir'> {
  return { ...stores, failed: new Promise(() => undefined), announce: () => Promise.resolve(), stop: () => Promise.resolve() };
}
