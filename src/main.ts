import dotenv from 'dotenv';
import 'reflect-metadata';
import { createDemoWorldIfEmpty } from './demo/first-start.js';
import { createLogger } from './logger.js';
import { startService } from './service.js';
import { readSettings, type Settings, SettingsInvalid } from './settings.js';
import { openStores } from './stores.js';
import { welcome } from './welcome.js';

dotenv.config({ quiet: true });

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Resolves with why the service has to stop. */
function interrupted(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        resolve(signal);
      });
    }
  });
}

async function run(settings: Settings): Promise<number> {
  const logger = createLogger(settings, 'rupa');
  const signal = interrupted();
  const stores = await openStores(settings, say);
  try {
    const service = await startService(settings, stores, logger);
    try {
      await service.api.listen(settings.port, settings.host);
      const address = await service.api.getUrl();
      await stores.announce(address);
      const demo = await createDemoWorldIfEmpty(service.api, settings, stores, say);
      say(welcome(address, stores, demo));
      const reason = await Promise.race([signal, service.failed]);
      say(reason.startsWith('SIG') ? 'Stopping: finishing what was begun …' : reason);
      return reason.startsWith('SIG') ? 0 : 1;
    } finally {
      await service.stop();
    }
  } finally {
    await stores.stop();
  }
}

try {
  process.exitCode = await run(readSettings(process.env));
} catch (error) {
  process.stderr.write(`${error instanceof SettingsInvalid ? error.sentences.join('\n') : (error as Error).message}\n`);
  if (!(error instanceof SettingsInvalid) && process.env.LOG_LEVEL === 'debug') process.stderr.write(`${(error as Error).stack ?? ''}\n`);
  process.exitCode = 1;
}
