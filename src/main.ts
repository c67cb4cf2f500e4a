import dotenv from 'dotenv';
import { once } from 'node:events';
import 'reflect-metadata';
import { createDemoWorldIfEmpty } from './demo/first-start.js';
import { createLogger } from './logger.js';
import { type Service, startService } from './service.js';
import { readSettings, type Settings, SettingsInvalid } from './settings.js';
import { stopSignal } from './signals.js';
import { openStores, type Stores } from './stores.js';
import { welcome } from './welcome.js';

dotenv.config({ quiet: true });

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function run(settings: Settings): Promise<number> {
  const logger = createLogger(settings, 'rupa');
  const signal = stopSignal((exitCode) => {
    say('Ending at once: charges that are open are refunded by whoever is up in a minute.');
    process.exit(exitCode);
  });
  const stores = await openStores(settings, say);
  try {
    const service = await startService({ settings, stores, logger, say, signal });
    return await serve(settings, stores, service, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    say('Stopped before it was up.');
    return 0;
  } finally {
    await stores.stop();
  }
}

/** Until a signal asks to stop, or a part dies; answers the exit code. */
async function serve(settings: Settings, stores: Stores, service: Service, signal: AbortSignal): Promise<number> {
  const asked = signal.aborted ? Promise.resolve(undefined) : once(signal, 'abort').then(() => undefined);
  try {
    await stores.announce(service.address);
    const demo = service.api && (await createDemoWorldIfEmpty(service.api, settings, stores, say));
    say(welcome(service.address, settings.roles, stores, demo));
    const reason = await Promise.race([asked, service.failed]);
    say(reason ?? 'Stopping: finishing what was begun …');
    return reason === undefined ? 0 : 1;
  } finally {
    await service.stop(signal.aborted ? settings.shutdownGraceMs : 0);
  }
}

try {
  process.exitCode = await run(readSettings(process.env));
} catch (error) {
  process.stderr.write(`${error instanceof SettingsInvalid ? error.sentences.join('\n') : (error as Error).message}\n`);
  if (!(error instanceof SettingsInvalid) && process.env.LOG_LEVEL === 'debug') process.stderr.write(`${(error as Error).stack ?? ''}\n`);
  process.exitCode = 1;
}
