import { once } from 'node:events';
import 'reflect-metadata';
import { createDemoWorldIfEmpty, welcome } from './first-start.js';
import { withReason } from '../platform/database/database-outage.js';
import { createLogger } from '../platform/logging/logger.js';
import { type Service, startService } from './service.js';
import { environment } from '../settings/environment.js';
import { type Environment } from '../settings/files.js';
import { readSettings, SettingsInvalid } from '../settings/read.js';
import { sentenceOfUnknown, unknownNames } from '../settings/unknown-names.js';
import { type Settings } from '../settings/declaration.js';
import { openStores, type Stores } from '../stores/stores.js';
import { constants } from 'node:os';

/**
 * Milliseconds that a stop may take after SHUTDOWN_GRACE_MS. A stop that takes longer waits for a store that may never respond again;
 * nothing that was acknowledged is lost by exiting then.
 */
const FINISH_MS = 15_000;
/** A charge counts as stale after a minute (src/contexts/wallet/charging/stale-charges.ts). */
const OPEN_CHARGES = 'A running instance refunds open charges after one minute.';
/** The terminal sends a Ctrl-C to npm and to its child, and npm forwards it: signals this close together count as one. */
const SAME_SIGNAL_MS = 500;
const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

async function run(env: Environment): Promise<number> {
  const settings = readSettings(env);
  const logger = createLogger(settings, 'rupa');
  for (const unknown of unknownNames(env)) logger.warn(sentenceOfUnknown(unknown));
  const signal = stopSignal((exitCode) => {
    say(`Exiting immediately. ${OPEN_CHARGES}`);
    process.exit(exitCode);
  });
  const stores = await openStores(settings, say);
  let service: Service | undefined;
  const forcedExit = forceExit(settings, () => service?.unfinished() ?? 'the start');
  if (signal.aborted) forcedExit.schedule();
  signal.addEventListener('abort', forcedExit.schedule);
  try {
    service = await startService({ settings, stores, logger, say, signal });
    void service.failed.then(forcedExit.schedule);
    return await serve(settings, stores, service, signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    say('Stopped before the service was up.');
    return 0;
  } finally {
    forcedExit.cancel();
    await stores.stop();
  }
}

/** Returns an AbortSignal that the first stop signal of the process aborts. A second one calls `onSecond`, which exits at once. */
function stopSignal(onSecond: (exitCode: number) => void): AbortSignal {
  const stopping = new AbortController();
  let firstAt = 0;
  for (const signal of STOPPING) {
    process.on(signal, () => {
      if (!stopping.signal.aborted) {
        firstAt = performance.now();
        stopping.abort();
      } else if (performance.now() - firstAt >= SAME_SIGNAL_MS) {
        onSecond(128 + constants.signals[signal]);
      }
    });
  }
  return stopping.signal;
}

/** Exits the process when a stop takes too long: a store that never responds again would keep it waiting forever. */
function forceExit({ shutdownGraceMs }: Settings, unfinished: () => string): { schedule(this: void): void; cancel(this: void): void } {
  let timer: NodeJS.Timeout | undefined;
  return {
    schedule: () => {
      timer ??= setTimeout(() => {
        say(`Exiting although ${unfinished()} did not finish in time; a store may not respond. ${OPEN_CHARGES}`);
        process.exit(1);
      }, shutdownGraceMs + FINISH_MS);
    },
    cancel: () => {
      clearTimeout(timer);
    },
  };
}

/** Serves until a signal asks to stop or a part of the service fails. Returns the exit code. */
async function serve(settings: Settings, stores: Stores, service: Service, signal: AbortSignal): Promise<number> {
  const asked = signal.aborted ? Promise.resolve(undefined) : once(signal, 'abort').then(() => undefined);
  try {
    await stores.announce(service.address);
    const demo = service.api && (await createDemoWorldIfEmpty(service.api, settings, stores, say));
    say(welcome(service.address, settings.roles, stores, demo));
    const reason = await Promise.race([asked, service.failed]);
    say(reason ?? 'Stopping: finishing the requests in progress …');
    return reason === undefined ? 0 : 1;
  } finally {
    await service.stop(signal.aborted ? settings.shutdownGraceMs : 0);
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof SettingsInvalid ? error.sentences.join('\n') : withReason(error as Error);
}

try {
  process.exitCode = await run(environment());
} catch (error) {
  process.stderr.write(`${sentenceOf(error)}\n`);
  if (!(error instanceof SettingsInvalid) && process.env.LOG_LEVEL === 'debug') process.stderr.write(`${(error as Error).stack ?? ''}\n`);
  // If one part failed to start, timers of the others would keep the process alive.
  process.exit(1);
}
