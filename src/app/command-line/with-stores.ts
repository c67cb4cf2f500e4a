import { type Logger } from 'pino';
import { migrate } from '../migrations.js';
import { createLogger } from '../../platform/logging/logger.js';
import { readSettings } from '../settings/read.js';
import { type Settings } from '../settings/declaration.js';
import { addressesOf, findRunningStores, openStores, type StoreAddresses } from '../stores.js';

export interface OpenStores {
  readonly settings: Settings;
  readonly stores: StoreAddresses;
  readonly logger: Logger;
  /** Whether they were opened for this command: then no projector follows the log unless the command starts one. */
  readonly opened: boolean;
}

/**
 * Runs `work` on the stores of the running service or, where none runs, on stores that are opened for as long as the work takes.
 * @param check throws for settings that the command is not for, before any store is opened
 */
export async function withStores<T>(
  work: (open: OpenStores) => Promise<T>,
  check: (settings: Settings) => void = () => undefined,
): Promise<T> {
  const settings = readCommandSettings();
  check(settings);
  const logger = createLogger(settings, 'rupa-cli');
  const given = settings.databaseUrl !== undefined && settings.eventStoreUrl !== undefined;
  const running = given ? undefined : await findRunningStores(settings);
  if (running) return await work({ settings, stores: running, logger, opened: false });
  const stores = await openStores(settings, () => undefined);
  try {
    await migrate(stores.databaseUrl);
    return await work({ settings, stores: addressesOf(stores), logger, opened: true });
  } finally {
    await stores.stop();
  }
}

/** The service's settings; a command logs warnings alone unless LOG_LEVEL says otherwise. */
export function readCommandSettings(): Settings {
  return readSettings({ LOG_LEVEL: 'warn', ...process.env });
}
