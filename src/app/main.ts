import dotenv from 'dotenv';
import { once } from 'node:events';
import 'reflect-metadata';
import { createDemoWorldIfEmpty } from './first-start.js';
import { createLogger } from '../platform/logging/logger.js';
import { type Service, startService } from './service.js';
import { readSettings, SettingsInvalid } from './settings/read.js';
import { type Settings } from './settings/declaration.js';
import { stopSignal } from './signals.js';
import { openStores, type Stores } from './stores.js';
import { welcome } from './welcome.js';

dotenv.config({ quiet: true });

/** Beyond the grace. What is not finished by then waits for a store that may be gone for good; nothing acknowledged is lost by not waiting. */
const FINISH_MS = 15_000;

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
  let service: Service | undefined;
  const late = endWhereLate(settings, () => service?.unfinished() ?? 'the start');
  if (signal.aborted) late.soon();
  signal.addEventListener('abort', late.soon);
  try {
    service = await startService({ settings, stores, logger, say, signal });
    void service.failed.then(late.soon);
    return await serve(settings, stores, service, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    say('Stopped before it was up.');
    return 0;
  } finally {
    late.never();
    await stores.stop();
  }
}

/** A store that never answers again would be waited for without an end. */
function endWhereLate({ shutdownGraceMs }: Settings, unfinished: () => string): { soon(this: void): void; never(this: void): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    soon: () => {
      timer ??= setTimeout(() => {
        say(
          `Ending without having finished ${unfinished()}, which takes too long: a store may not answer. Charges that are open are refunded by whoever is up in a minute.`,
        );
        process.exit(1);
      }, shutdownGraceMs + FINISH_MS);
    },
    never: () => {
      clearTimeout(timer);
    },
  };
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

function sentenceOf(error: unknown): string {
  if (error instanceof SettingsInvalid) return error.sentences.join('\n');
  const { code, address, port, message } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  return code === 'EADDRINUSE'
    ? `${address}:${port} is taken: end what listens there, or set PORT (METRICS_PORT) to one that is free.`
    : message;
}

try {
  process.exitCode = await run(readSettings(process.env));
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  if (!(error instanceof SettingsInvalid) && process.env.LOG_LEVEL === 'debug') process.stderr.write(`${(error as Error).stack ?? ''}\n`);
  // A part that could not come up leaves timers of others behind, which nobody can end.
  process.exit(1);
}
