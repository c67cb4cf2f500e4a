import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Logger } from 'pino';
import { createApplication } from '../app/application.js';
import { startBackgroundThread } from '../app/background/background-thread.js';
import { migrate } from '../platform/database/schema.js';
import { createLogger } from '../platform/logging/logger.js';
import { NestLogger } from '../platform/logging/nest-logger.js';
import { readSettings, type Settings } from '../app/settings.js';
import { addressesOf, findRunningStores, openStores, type StoreAddresses } from '../app/stores.js';
import { recorded } from './recorded.js';

/**
 * Runs a command on the stores of the running service, or, where none runs, on stores that it opens for as long as it takes.
 * @param follow whether the read models must follow the log meanwhile
 */
export async function withApp<T>(work: (app: INestApplicationContext) => Promise<T>, follow = true): Promise<T> {
  return await withStores(async ({ settings, stores, logger, opened }) => {
    if (!opened || !follow) return await onStores(settings, stores, logger, work);
    const background = await startBackgroundThread({ stores, settings, roles: ['projector'] });
    try {
      return await onStores(settings, stores, logger, work);
    } finally {
      await background.stop();
    }
  });
}

export interface OpenStores {
  readonly settings: Settings;
  readonly stores: StoreAddresses;
  readonly logger: Logger;
  /** Whether they were opened for this command: then no projector follows the log unless the command starts one. */
  readonly opened: boolean;
}

/** The same stores, and nothing that works on them. @param check throws for settings that the command is not for. */
export async function withStores<T>(
  work: (open: OpenStores) => Promise<T>,
  check: (settings: Settings) => void = () => undefined,
): Promise<T> {
  const settings = readSettings({ LOG_LEVEL: 'warn', ...process.env });
  check(settings);
  const logger = createLogger(settings, 'rupa-cli');
  const given = settings.databaseUrl !== undefined && settings.eventStoreUrl !== undefined;
  const running = given ? undefined : await findRunningStores(settings);
  if (running) return await recorded(running.eventStoreUrl, () => work({ settings, stores: running, logger, opened: false }));
  const stores = await openStores(settings, () => undefined);
  try {
    await migrate(stores.databaseUrl);
    return await recorded(stores.eventStoreUrl, () => work({ settings, stores: addressesOf(stores), logger, opened: true }));
  } finally {
    await stores.stop();
  }
}

async function onStores<T>(
  settings: Settings,
  stores: StoreAddresses,
  logger: Logger,
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const { app, close } = await createApplication({ settings, stores, logger }, (module) =>
    NestFactory.createApplicationContext(module, { logger: new NestLogger(logger), abortOnError: false }),
  );
  try {
    return await work(app);
  } finally {
    await close();
  }
}
