import { type Logger } from 'pino';
import { connectionConfig } from '../../platform/database/pool.js';
import { refuseUnfitPooler } from '../../platform/database/refuse-unfit-pooler.js';
import { createLogger } from '../../platform/logging/logger.js';
import { environment } from '../../settings/environment.js';
import { readSettings } from '../../settings/read.js';
import { type Settings } from '../../settings/declaration.js';
import { addressesOf, findRunningStores, openStores, refuseMissingStores, type StoreAddresses } from '../../stores/stores.js';

export interface OpenStores {
  readonly settings: Settings;
  readonly stores: StoreAddresses;
  readonly logger: Logger;
  /** Whether the stores were opened for this command. No projector runs then unless the command starts one. */
  readonly opened: boolean;
}

export interface WithStoresOptions {
  /** Whether the command creates embedded stores that do not exist. Without it, such a command throws {@link StoresMissing}. */
  readonly create: boolean;
  /** Throws, before any store is opened, for settings that the command does not support. */
  readonly check?: (settings: Settings) => void;
}

/**
 * Runs `work` on the stores of the running service or, if none runs, on stores that are opened only for the duration of the work.
 * @throws StoresMissing before anything is created
 */
export async function withStores<T>(work: (open: OpenStores) => Promise<T>, { create, check }: WithStoresOptions): Promise<T> {
  const settings = readCommandSettings();
  check?.(settings);
  const logger = createLogger(settings, 'rupa-cli');
  const given = settings.databaseUrl !== undefined && settings.eventStoreUrl !== undefined;
  const running = given ? undefined : await findRunningStores(settings);
  if (running) return await work({ settings, stores: running, logger, opened: false });
  if (!create && !given) await refuseMissingStores(settings);
  const stores = await openStores(settings, () => undefined);
  try {
    if (settings.databaseUrl !== undefined) await refuseUnfitPooler(connectionConfig(settings.databaseUrl));
    const { migrate } = await import('../../stores/migrations.js');
    await migrate(stores.databaseUrl, async () => (await import('../../stores/foreign-keys.js')).ownRowMacs(stores));
    return await work({ settings, stores: addressesOf(stores), logger, opened: true });
  } finally {
    await stores.stop();
  }
}

/** Reads the settings of the service from the environment and the file `.env`. A command logs only warnings and errors unless LOG_LEVEL is set. @throws SettingsInvalid */
export function readCommandSettings(): Settings {
  return readSettings({ LOG_LEVEL: 'warn', ...environment() });
}
